"""What `seer` knows of the bundled games beyond their rules."""

from collections.abc import Mapping

from bots.policies import bali_rosenberg, bali_wrede, kali
from bots.search import Policy

POLICIES: Mapping[str, Policy] = {
    "kali": kali.POLICY,
    "bali_wrede": bali_wrede.POLICY,
    "bali_rosenberg": bali_rosenberg.POLICY,
}
