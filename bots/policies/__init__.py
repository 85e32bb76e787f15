"""What `seer` knows of the bundled games beyond their rules."""

from collections.abc import Mapping

from dalang.bots.policies import bali_rosenberg, bali_wrede, kali
from dalang.bots.search import Policy

POLICIES: Mapping[str, Policy] = {
    "kali": kali.POLICY,
    "bali_wrede": bali_wrede.POLICY,
    "bali_rosenberg": bali_rosenberg.POLICY,
}
