package io.ntrail.cli.common;

import io.ntrail.analysis.model.StoppableWork.Position;
import io.ntrail.cli.text.Numbers;

/**
 * A phase of work in words.
 *
 * @param doing what is done: {@code looking through shop.ntr}
 * @param unit in which it is measured, as of one: {@code file}; empty for bytes
 */
public record WorkPhase(String doing, String unit) {
  /** Returns a phase that is measured in bytes. */
  public static WorkPhase ofBytes(String doing) {
    return new WorkPhase(doing, "");
  }

  /** Returns a line about how far it is; it never says 100 %, as something is left then. */
  String line(Position<?> position) {
    return position.isOver()
        ? doing + ": making the answer"
        : "%s  %d %%   %s".formatted(doing, position.percent(), amount(position));
  }

  /** Returns how far work came that was stopped in this phase. */
  String stopped(Position<?> position) {
    return "stopped at %d %% (%s read); the answer covers that part only"
        .formatted(position.percent(), amount(position));
  }

  private String amount(Position<?> position) {
    return unit.isEmpty()
        ? Numbers.bytes(position.done()) + " of " + Numbers.bytes(position.total())
        : Numbers.count(position.done()) + " of " + Numbers.counted(position.total(), unit);
  }
}
