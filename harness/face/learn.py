"""What learners import. It needs more than dalang itself does: `pip install 'dalang[learn]'`.

Every game is an environment: `env` has an agent for each seat, in turn (PettingZoo), `single` is one seat against bots
(Gymnasium), and `vector` is many games at once in arrays. All show what a seat may know, in numbers from 0 to 1, with a
mask of the legal actions; `describe` says what they mean.

>>> from dalang import learn
>>> env = learn.env("bali_rosenberg", seats=4)
>>> env.reset(seed=1)
>>> seen, *_ = env.last()
>>> seen["observation"].shape, seen["action_mask"].shape
((615,), (187,))
>>> env.table.actions.move(int(seen["action_mask"].argmax()), env.game_state.seat)
('end',)
"""

try:
    from dalang.harness.learn.aec import env
    from dalang.harness.learn.arrays.making import vector
    from dalang.harness.learn.describing import describe
    from dalang.harness.learn.single import single
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"{error}; dalang.learn needs: pip install 'dalang[learn]'", name=error.name
    ) from None

__all__ = ["describe", "env", "single", "vector"]
