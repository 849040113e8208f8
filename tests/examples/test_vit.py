import subprocess
import sys

import numpy as np
import pytest

import minigraph as ms
from minigraph import Tensor, nn
from minigraph.examples import vit
from tests.structure import ROOT

STEPS = 6


def small_network():
    """A network and its optimizer, the same each time."""
    ms.set_seed(3)
    net = vit.VisionTransformer(patch_size=4, width=16, depth=1, heads=2)
    return net, nn.Momentum(net.trainable_params(), 0.05, 0.9)


def losses_of(mode):
    """A small network, and its losses in a hand-written training loop as in the example."""
    net, optimizer = small_network()
    gradient = ms.value_and_grad(lambda x, y: vit.loss_fn(net(x), y), None, optimizer.parameters)

    def step(images, labels):
        loss, grads = gradient(images, labels)
        optimizer(grads)
        return loss

    step = {"eager": step, "trace": ms.jit(step), "ast": ms.jit(step, capture_mode="ast")}[mode]
    return net, [step(images, labels).item() for images, labels in list(vit.batches())[:STEPS]]


def test_it_learns_to_read():
    losses = [loss for _, loss in vit.train(8)]
    assert losses[0] > 2.2  # as good as guessing: log(10) = 2.30
    assert losses[-1] < 0.2 * losses[0]
    assert vit.accuracy() > 0.9


@pytest.mark.parametrize("mode", ["trace", "ast"])
def test_losses_are_the_same_in_both_modes(mode):
    (eager_net, eager), (net, compiled) = losses_of("eager"), losses_of(mode)
    assert eager[-1] != eager[0]
    np.testing.assert_allclose(compiled, eager, rtol=0, atol=1e-5)
    for parameter, eager_parameter in zip(net.get_parameters(), eager_net.get_parameters(), strict=True):
        np.testing.assert_allclose(parameter.asnumpy(), eager_parameter.asnumpy(), rtol=0, atol=1e-5)


def test_train_one_step_cell_in_graph_mode_gives_the_same_losses():
    _, eager = losses_of("eager")
    net, optimizer = small_network()
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer).set_train()
    rows = list(vit.batches())[:STEPS]
    ms.set_context(mode=ms.GRAPH_MODE)
    np.testing.assert_allclose([step(*row).item() for row in rows], eager, rtol=0, atol=1e-5)


def test_a_checkpoint_of_it_gives_a_fresh_network_the_same_outputs(tmp_path):
    net, _ = losses_of("trace")
    ms.save_checkpoint(net, tmp_path / "vit.ckpt")
    fresh = vit.VisionTransformer(patch_size=4, width=16, depth=1, heads=2)
    images = Tensor(vit.pictures(vit.held_out.images))
    assert not np.array_equal(fresh(images).asnumpy(), net(images).asnumpy())
    assert ms.load_param_into_net(fresh, ms.load_checkpoint(tmp_path / "vit.ckpt")) == ([], [])
    assert fresh(images).asnumpy().tobytes() == net(images).asnumpy().tobytes()
    assert ms.jit(fresh)(images).asnumpy().tobytes() == ms.jit(net)(images).asnumpy().tobytes()


def test_patches_are_cut_row_by_row_and_do_not_overlap():
    embedding = vit.PatchEmbedding(channels=1, patch_size=2, width=1)
    embedding.project.weight.set_data(Tensor(np.ones((1, 1, 2, 2), np.float32)))
    embedding.project.bias.set_data(Tensor([0.0]))
    image = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    assert embedding(Tensor(image)).asnumpy().ravel().tolist() == [10.0, 18.0, 42.0, 50.0]


def test_its_sizes_can_be_chosen():
    net = vit.VisionTransformer(image_size=12, patch_size=3, channels=3, width=24, depth=3, heads=6, classes=7)
    assert net.position.shape == (1, 17, 24)
    assert net(Tensor(np.zeros((2, 3, 12, 12), np.float32))).shape == (2, 7)
    assert [p.name for p in net.trainable_params()][:4] == [
        "cls_token", "position", "embedding.project.weight", "embedding.project.bias",
    ]  # fmt: skip


def test_as_a_script_it_prints_every_epoch_and_example_inputs_are_one_batch(capsys):
    vit.main(1)
    first, last = capsys.readouterr().out.splitlines()
    assert first.startswith("epoch  1: loss 2.") and last.startswith("Accuracy on ")
    assert [tensor.shape for tensor in vit.example_inputs()] == [(vit.BATCH, 1, 8, 8), (vit.BATCH,)]


def test_help_is_help_and_a_wrong_option_is_refused():
    for arguments, code, words in (
        (["--help"], 0, "--epochs"),
        (["--epoch", "x"], 2, "invalid int"),
        (["7"], 2, "usage"),
    ):
        command = [sys.executable, "-m", "minigraph.examples.vit", *arguments]
        process = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
        assert process.returncode == code and words in process.stdout + process.stderr
        assert "epoch  1" not in process.stdout
