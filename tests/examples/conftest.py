import pytest


@pytest.fixture(autouse=True)
def restore_parameters(request):
    """Restores the Parameters of the example after each test: of ``digits`` in ``test_digits``."""
    example = getattr(request.module, request.module.__name__.rpartition("test_")[2])
    saved = [(p, p.array.copy()) for p in example.optimizer.get_parameters()] if hasattr(example, "optimizer") else []
    yield
    for parameter, array in saved:
        parameter.array = array
