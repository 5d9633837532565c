"""The base world and ten others: what if Claude, the improver or the suite are otherwise?"""

from bench.strategies.world import Setting

BASE = "base"
SCENARIOS = {
    BASE: Setting(),
    "settled triggering": Setting(sharpness=2.5),
    "flaky triggering": Setting(sharpness=0.7),
    "weak improver": Setting(strength=0.8, swing=1.0, rewrite_cover=-0.2),
    "strong improver": Setting(strength=2.5, swing=3.0, rewrite_cover=0.3),
    "improver that copies queries": Setting(copying=0.9),
    "good original": Setting(level=2.4, eagerness=0.0, rewrite_cover=-0.2),
    "small suite (12 to 16)": Setting(fewest_cases=12, most_cases=16),
    "large suite (60 to 80)": Setting(fewest_cases=60, most_cases=80),
    "bad rewrites": Setting(rewrite_cover=-0.6),
    "40 % near-duplicates, copied": Setting(duplicates=0.4, copying=0.9),
}
