"""Networks of torch, torchvision, timm and transformers, imported by ``from_torch`` and compared with torch."""
