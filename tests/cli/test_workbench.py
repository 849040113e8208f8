import pytest

from minigraph.cli import workbench
from minigraph.cli.main import main


def test_a_page_with_precomputed_pipelines_is_written(program, tmp_path, run_cli):
    path = tmp_path / "bench.html"
    code, out, _ = run_cli("workbench", f"{program}:attend", "-p", "cse,fuse_elementwise", "--save", str(path))
    assert code == 0 and out.startswith("Wrote ")
    assert "without fuse_elementwise" in path.read_text("utf-8")


@pytest.mark.parametrize("opened", [False, True])
def test_it_serves_until_ctrl_c(program, monkeypatch, capsys, opened):
    visited = []

    def serve(bench, port, started):
        started(f"http://127.0.0.1:{port}/")
        raise KeyboardInterrupt

    monkeypatch.setattr(workbench.viz, "serve", serve)
    monkeypatch.setattr(workbench.webbrowser, "open", visited.append)
    code = main(["workbench", f"{program}:attend", "--port", "8123", *(["--open"] if opened else [])])
    assert code == 130 and "on http://127.0.0.1:8123/ until Ctrl-C" in capsys.readouterr().out
    assert visited == ["http://127.0.0.1:8123/"] * opened


@pytest.mark.parametrize(("arguments", "said"), [
    (["-p", "cse,dec"], "did you mean 'dce'?"), (["--chip", "ascend91"], "ascend910"),
])  # fmt: skip
def test_unknown_names_are_refused_before_anything_is_served(program, run_cli, arguments, said):
    code, _, err = run_cli("workbench", f"{program}:attend", *arguments)
    assert code == 2 and said in err
