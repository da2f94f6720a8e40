# SPDX-License-Identifier: GPL-3.0-or-later
"""What the methods have in common that plant hands and feet without iterations: all but where the root goes."""
