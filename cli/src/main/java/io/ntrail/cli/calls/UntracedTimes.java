package io.ntrail.cli.calls;

import io.ntrail.analysis.model.UntracedTime;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import java.io.PrintStream;
import java.util.List;

/** Writes the times in which modules were not traced, in the same words and keys everywhere. */
public final class UntracedTimes {
  private static final int SHOWN = 10;

  private UntracedTimes() {}

  /**
   * Prints a line for each, the first ones.
   *
   * @param before what each line begins with
   * @param nanos whether times are known in nanoseconds
   */
  public static void print(
      PrintStream out, String before, List<UntracedTime> times, boolean nanos) {
    for (UntracedTime time : times.subList(0, Math.min(SHOWN, times.size()))) {
      out.println(before + text(time, nanos));
    }
    if (times.size() > SHOWN) {
      out.println(
          before
              + Numbers.counted(times.size() - SHOWN, "more time")
              + " in which a module was not traced (--format json lists all)");
    }
  }

  /** {@code plugin.dll was not traced from 0.412 s to 2.013 s: its loading did not wait}. */
  private static String text(UntracedTime time, boolean nanos) {
    String when =
        !nanos
            ? "for some time"
            : "from "
                + seconds(time.from())
                + (time.to() == UntracedTime.OPEN ? " on" : " to " + seconds(time.to()));
    return "%s was not traced %s: %s".formatted(time.module(), when, time.why());
  }

  private static String seconds(long nanos) {
    return Numbers.seconds(nanos) + " s";
  }

  /** Writes them as a member of an open object; it is there even if empty. */
  public static void json(Json json, List<UntracedTime> times, boolean nanos) {
    json.array("untraced");
    for (UntracedTime time : times) {
      json.object().text("module", time.module());
      if (nanos) {
        json.number("fromNanos", time.from());
      } else {
        json.unknown("fromNanos");
      }
      if (nanos && time.to() != UntracedTime.OPEN) {
        json.number("toNanos", time.to());
      } else {
        json.unknown("toNanos");
      }
      json.text("why", time.why()).endObject();
    }
    json.endArray();
  }
}
