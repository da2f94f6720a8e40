# SPDX-License-Identifier: GPL-3.0-or-later
"""Hooks of MkDocs, named in mkdocs.yml: pages of the API are added."""

from __future__ import annotations

from typing import Any

from documentation.api_pages import FOLDER, api_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages of the API in the navigation."""
    _list_pages(config["nav"])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the API."""
    for page in api_pages():
        files.append(File.generated(config, page.path, content=page.markdown()))
    return files


def _list_pages(nav: list[Any]) -> None:
    """Add the pages of the API to the section of the navigation that has their index."""
    index = f"{FOLDER}/index.md"
    for entry in nav:
        for section in entry.values() if isinstance(entry, dict) else ():
            if isinstance(section, list):
                if index in section:
                    section += [{page.package: page.path} for page in api_pages()]
                else:
                    _list_pages(section)
