# SPDX-License-Identifier: GPL-3.0-or-later
"""The character and its motion: skeleton, joints, limits, masses, landmarks, kinematics, clips."""
