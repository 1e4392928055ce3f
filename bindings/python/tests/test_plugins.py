"""A plugin, run by the program that the wheel brings along. `PROMPTWEAVE_TEST_PLUGIN` names its library."""

import os
import subprocess

import promptweave
import pytest
from promptweave import Engine

PLUGIN = os.environ.get("PROMPTWEAVE_TEST_PLUGIN")


def test_the_program_is_there():
    host = promptweave.plugin_host()
    assert os.access(host, os.X_OK) and os.path.dirname(promptweave.__file__) in host
    assert subprocess.run([host], capture_output=True, timeout=20).returncode != 0


def test_the_environment_may_name_another(monkeypatch):
    monkeypatch.setenv("PROMPTWEAVE_PLUGIN_HOST", "/opt/host")
    assert promptweave.plugin_host() == "/opt/host"


@pytest.mark.skipif(not PLUGIN, reason="no plugin was built")
def test_a_plugin_runs(tmp_path):
    plugins = {"paths": [PLUGIN], "data": tmp_path / "data", "config": {"house-style": {"tone": "warm"}}}
    engine = Engine(plugins=plugins)
    assert engine.diagnostics == []
    prompt = engine.prompt({"git": {"branch": "release/1"}}, variant="house-release")
    assert "kind" in prompt.section("house_style").lower() or prompt.section("house_style")
    context, diagnostics = engine.probe({"cwd": "/a"})
    assert context == {"cwd": "/a"} and diagnostics == []
