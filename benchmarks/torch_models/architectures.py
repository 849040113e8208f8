"""The networks to import, with random weights and example arguments; nothing is downloaded.

Images have the smallest side that an architecture accepts (multiples of 32 pixels are tried), language models have
two blocks of width 32. Networks of more than 150 million parameters get fewer blocks; the note says so.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import timm
import torch
import torchvision
import transformers
from torch import nn

MAX_PARAMETERS = 150_000_000  # of a network that is imported in full depth
IMAGE_SIDES = (32, 64, 96, 128, 160, 192, 224, 256)  # pixels
VOCABULARY_SIZE = 64  # tokens
SENTENCE_TOKENS = 8


class Network(NamedTuple):
    """A module in evaluation mode, arguments for it, and what was reduced."""

    module: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    note: str = ""


# ---- own definitions -------------------------------------------------------------------------------


class Perceptron(nn.Module):
    """Two layers and a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Dropout(0.1), nn.Linear(32, 10))

    def forward(self, x: Any) -> Any:
        """Probabilities of classes."""
        return torch.softmax(self.layers(x), -1)


class LeNet(nn.Module):
    """Convolutions, pooling and dense layers."""

    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.Sigmoid(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Sigmoid(),
            nn.AvgPool2d(2),
        )  # fmt: skip
        self.classifier = nn.Sequential(nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 10))

    def forward(self, x: Any) -> Any:
        """Logits of classes."""
        return self.classifier(self.features(x))


class Recurrent(nn.Module):
    """An embedding, a bidirectional recurrent layer, and logits for each token."""

    def __init__(self, layer: Callable[..., Any]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY_SIZE, 16)
        self.layer = layer(16, 16, 2, batch_first=True, bidirectional=True)
        self.logits = nn.Linear(32, VOCABULARY_SIZE)

    def forward(self, input_ids: Any) -> Any:
        """Logits of the next tokens."""
        return self.logits(self.layer(self.embedding(input_ids))[0])


class UNet(nn.Module):
    """Convolutions down, transposed convolutions up, with skip connections."""

    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = self._block(3, 8), self._block(8, 16)
        self.bottom, self.up2, self.up1 = self._block(16, 32), self._block(32, 16), self._block(16, 8)
        self.upsample2, self.upsample1 = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.masks = nn.Conv2d(8, 2, 1)

    @staticmethod
    def _block(inputs: int, outputs: int) -> Any:
        return nn.Sequential(nn.Conv2d(inputs, outputs, 3, padding=1), nn.GroupNorm(2, outputs), nn.LeakyReLU())

    def forward(self, x: Any) -> Any:
        """Logits of pixels."""
        fine = self.down1(x)
        coarse = self.down2(nn.functional.max_pool2d(fine, 2))
        deep = self.upsample2(self.bottom(nn.functional.max_pool2d(coarse, 2)))
        up = self.up2(torch.cat([coarse, deep], 1))
        return self.masks(self.up1(torch.cat([fine, self.upsample1(up)], 1)))


def _sentence() -> Any:
    return torch.randint(2, VOCABULARY_SIZE - 1, (1, SENTENCE_TOKENS))


OWN_NETWORKS: dict[str, Callable[[], Network]] = {
    "perceptron": lambda: Network(Perceptron(), (torch.randn(4, 16),), {}),
    "lenet": lambda: Network(LeNet(), (torch.randn(2, 1, 28, 28),), {}),
    "rnn": lambda: Network(Recurrent(nn.RNN), (_sentence(),), {}),
    "lstm": lambda: Network(Recurrent(nn.LSTM), (_sentence(),), {}),
    "gru": lambda: Network(Recurrent(nn.GRU), (_sentence(),), {}),
    "unet": lambda: Network(UNet(), (torch.randn(1, 3, 16, 16),), {}),
    "transformer": lambda: Network(
        nn.Transformer(32, 4, 1, 1, 64, batch_first=True), (torch.randn(2, 5, 32), torch.randn(2, 4, 32)), {}
    ),
}

# ---- images ----------------------------------------------------------------------------------------


def _image_network(module: Any, note: str = "", sides: tuple[int, ...] = IMAGE_SIDES) -> Network:
    """The network with the smallest image that it accepts."""
    for side in sides:
        image = torch.randn(1, 3, side, side)
        try:
            with torch.no_grad():
                copy.deepcopy(module)(image)  # a call may leave tensors in a cache of the module
        except (RuntimeError, ValueError, AssertionError, IndexError):
            continue
        return Network(module, (image,), {}, "; ".join(filter(None, (f"{side} pixels", note))))
    raise ValueError(f"no image of up to {IMAGE_SIDES[-1]} pixels fits")


def _torchvision(name: str) -> Network:
    options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
    if name.startswith("vit_"):  # the position embedding has a fixed size
        side = int(name.rpartition("_")[2]) * 2
        module, is_large = torchvision.models.get_model(name, weights=None, image_size=side), name[4] in "lh"
        if is_large:
            module.encoder.layers = module.encoder.layers[:2]
        return _image_network(module.eval(), "2 blocks" if is_large else "", (side,))
    if name == "maxvit_t":
        return _image_network(torchvision.models.maxvit_t(weights=None, input_size=(224, 224)).eval(), sides=(224,))
    if name in REDUCED_NETWORKS:
        module, note = REDUCED_NETWORKS[name]()
        return _image_network(module.eval(), note)
    return _image_network(torchvision.models.get_model(name, weights=None, **options).eval())


def _small_regnet(**options: Any) -> tuple[Any, str]:
    regnet = torchvision.models.regnet
    parameters = regnet.BlockParams.from_init_params(depth=4, w_0=528, w_a=600.0, w_m=4.0, group_width=264, **options)
    return regnet.RegNet(parameters), "4 blocks"


def _small_convnext() -> tuple[Any, str]:
    convnext = torchvision.models.convnext
    widths = (192, 384, 768, 1536, None)
    blocks = [convnext.CNBlockConfig(a, b, 1) for a, b in itertools.pairwise(widths)]
    return convnext.ConvNeXt(blocks), "4 blocks"


REDUCED_NETWORKS: dict[str, Callable[[], tuple[Any, str]]] = {
    "regnet_y_128gf": lambda: _small_regnet(se_ratio=0.25),
    "convnext_large": _small_convnext,
}
TORCHVISION = torchvision.models.list_models(module=torchvision.models)

TIMM = (
    "resnet10t resnext26ts res2net50_14w_8s resnest14d seresnet50 skresnet18 cspresnet50 dla34 dpn48b hrnet_w18_small "
    "regnetz_b16 repvgg_a0 mobilenetv4_conv_small efficientnet_lite0 ghostnet_100 fbnetc_100 mixnet_s lcnet_050 "
    "rexnet_100 selecsls42 nfnet_f0 convnextv2_atto edgenext_xx_small mobilevit_xxs mobileone_s0 fastvit_t8 starnet_s1 "
    "xception41 inception_v4 botnet26t_256 poolformer_s12 caformer_s18 pvt_v2_b0 levit_128s xcit_nano_12_p16_224 "
    "mixer_s32_224 resmlp_12_224 gmlp_s16_224 deit_tiny_patch16_224 cait_xxs24_224 beit_base_patch16_224 "
    "coatnet_0_rw_224 davit_tiny focalnet_tiny_srf hiera_tiny_224 efficientvit_b0 repvit_m0_9 sequencer2d_s"
)
REDUCED_DEPTHS = {"beit_base_patch16_224": 2, "cait_xxs24_224": 4}


def _timm(name: str) -> Network:
    options = {"depth": REDUCED_DEPTHS[name]} if name in REDUCED_DEPTHS else {}
    note = f"{REDUCED_DEPTHS[name]} blocks" if options else ""
    for side in IMAGE_SIDES:
        try:
            return _image_network(timm.create_model(name, img_size=side, **options).eval(), note, (side,))
        except (TypeError, ValueError, AssertionError, RuntimeError, IndexError):
            continue
    return _image_network(timm.create_model(name, **options).eval(), note)


# ---- language, and others of transformers -----------------------------------------------------------

MODEL_SIZES = {
    "vocab_size": VOCABULARY_SIZE, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "intermediate_size": 64, "max_position_embeddings": 64,
    "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "use_cache": False,
}  # fmt: skip
GPT = {"n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 64}
SEQUENCE_TO_SEQUENCE = {
    "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "decoder_start_token_id": 2,
}  # fmt: skip
GROUPED_QUERY: dict[str, Any] = {"num_key_value_heads": 2, "head_dim": 8}
TRANSFORMERS: dict[str, tuple[str, dict[str, Any]]] = {  # model class -> configuration class and sizes
    "BertForMaskedLM": ("BertConfig", {}),
    "RobertaForMaskedLM": ("RobertaConfig", {}),
    "AlbertForMaskedLM": ("AlbertConfig", {"embedding_size": 16}),
    "DistilBertForMaskedLM": ("DistilBertConfig", {"dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64}),
    "ElectraForMaskedLM": ("ElectraConfig", {"embedding_size": 16}),
    "ConvBertModel": ("ConvBertConfig", {"embedding_size": 32}),
    "MPNetModel": ("MPNetConfig", {}),
    "RoFormerModel": ("RoFormerConfig", {"embedding_size": 32}),
    "SqueezeBertModel": ("SqueezeBertConfig", {"embedding_size": 32}),
    "GPT2LMHeadModel": ("GPT2Config", GPT),
    "GPTNeoXForCausalLM": ("GPTNeoXConfig", {}),
    "OPTForCausalLM": ("OPTConfig", {"ffn_dim": 64, "word_embed_proj_dim": 32}),
    "BloomForCausalLM": ("BloomConfig", {"n_layer": 2, "n_head": 4}),
    "LlamaForCausalLM": ("LlamaConfig", GROUPED_QUERY),
    "MistralForCausalLM": ("MistralConfig", GROUPED_QUERY),
    "Qwen2ForCausalLM": ("Qwen2Config", GROUPED_QUERY),
    "GemmaForCausalLM": ("GemmaConfig", GROUPED_QUERY),
    "PhiForCausalLM": ("PhiConfig", {}),
    "FalconForCausalLM": ("FalconConfig", {}),
    "MambaForCausalLM": ("MambaConfig", {"state_size": 4}),
    "T5ForConditionalGeneration": ("T5Config", {"d_model": 32, "d_kv": 8, "d_ff": 64, "num_layers": 2, "num_heads": 4}),
    "BartForConditionalGeneration": ("BartConfig", SEQUENCE_TO_SEQUENCE),
    "ViTForImageClassification": ("ViTConfig", {"image_size": 32, "patch_size": 8}),
    "Dinov2Model": ("Dinov2Config", {"image_size": 32, "patch_size": 8}),
}


def _transformers(name: str) -> Network:
    config_class, sizes = TRANSFORMERS[name]
    config = getattr(transformers, config_class)(**MODEL_SIZES | sizes)
    module = getattr(transformers, name)(config).eval()
    if "image_size" in sizes:
        return Network(module, (torch.randn(1, 3, 32, 32),), {}, "32 pixels; 2 blocks")
    kwargs = {"input_ids": _sentence()} | ({"decoder_input_ids": _sentence()} if config.is_encoder_decoder else {})
    return Network(module, (), kwargs, "2 blocks")


# ---- all -------------------------------------------------------------------------------------------

NETWORK_NAMES = (
    *(f"torch.{name}" for name in OWN_NETWORKS),
    *(f"transformers.{name}" for name in TRANSFORMERS),
    *(f"timm.{name}" for name in TIMM.split()),
    *(f"torchvision.{name}" for name in TORCHVISION),
)


def network(name: str) -> Network:
    """A network by name, in evaluation mode, with the same random weights at every call."""
    torch.manual_seed(0)
    library, _, model = name.partition(".")
    result: Network = OWN_NETWORKS[model]() if library == "torch" else BUILDERS[library](model)
    result.module.eval()
    with torch.no_grad():  # no weight stays zero or one: results and gradients depend on each
        for parameter in result.module.parameters():
            parameter += 0.02 * torch.randn_like(parameter)
        for buffer_name, buffer in result.module.named_buffers():
            if buffer_name.endswith(("running_mean", "running_var")):
                buffer *= 1 + 0.1 * torch.rand_like(buffer)
    return result


BUILDERS: dict[str, Callable[[str], Network]] = {
    "torchvision": _torchvision,
    "timm": _timm,
    "transformers": _transformers,
}

if __name__ == "__main__":
    print(*NETWORK_NAMES, sep="\n")
