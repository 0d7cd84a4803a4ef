package io.ntrail.cli.pt;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketClock.Rounding;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import picocli.CommandLine.ParseResult;

/**
 * Facts that the user gives of the processor that wrote a stream, which says nothing of it itself.
 *
 * @param clock its clocks
 * @param errata its defects; empty if it is not known
 * @param rounding how times are rounded
 */
record ProcessorOptions(ClockSettings clock, Set<Erratum> errata, Rounding rounding) {
  private static final String CLOCK_EXAMPLE = "--clock 3,2,308,37";
  private static final String MODEL_EXAMPLE = "--model 6/94/3";

  ProcessorOptions {
    errata = Set.copyOf(errata);
  }

  static ProcessorOptions of(ParseResult parsed) {
    boolean isLibipt = CommonOptions.has(parsed, "--compat");
    if (isLibipt) {
      PtCommand.COMPATIBILITIES.value(CommonOptions.text(parsed, "--compat", ""));
    }
    return new ProcessorOptions(
        CommonOptions.has(parsed, "--clock")
            ? clock(CommonOptions.text(parsed, "--clock", ""))
            : ClockSettings.UNKNOWN,
        CommonOptions.has(parsed, "--model")
            ? errata(CommonOptions.text(parsed, "--model", ""))
            : EnumSet.noneOf(Erratum.class),
        isLibipt ? Rounding.LIBIPT : Rounding.EXACT);
  }

  private static ClockSettings clock(String text) {
    String[] parts = text.split(",", -1);
    if (parts.length == 4) {
      try {
        return new ClockSettings(
            Integer.parseInt(parts[0]),
            Long.parseLong(parts[1]),
            Long.parseLong(parts[2]),
            Integer.parseInt(parts[3]));
      } catch (NumberFormatException _) {
        // Said below.
      } catch (IllegalArgumentException e) {
        throw new UsageError("--clock " + text + ": " + e.getMessage(), CLOCK_EXAMPLE);
      }
    }
    throw new UsageError("--clock takes MTCFREQ,EAX,EBX,NOMINAL, not " + text, CLOCK_EXAMPLE);
  }

  private static Set<Erratum> errata(String text) {
    String[] parts = text.split("/", -1);
    try {
      if (parts.length == 2 || parts.length == 3) {
        // The stepping changes nothing so far; it has to be a number all the same.
        Integer.parseInt(parts[parts.length - 1]);
        return Erratum.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      }
    } catch (NumberFormatException _) {
      // Said below.
    }
    throw new UsageError("--model takes FAMILY/MODEL/STEPPING, not " + text, MODEL_EXAMPLE);
  }

  /**
   * Checks that times can be told if some are asked for.
   *
   * @param question of the command, for the next step
   * @throws UsageError if the clock of the processor is not known
   */
  void checkTime(TimeRange time, String question, Path path) {
    if (!time.whole() && clock.tscHertz() == 0) {
      throw new UsageError(
          "--time needs the clock of the processor, which a stream does not tell",
          "ntrail pt %s %s --time 0..10us --clock 0,0,0,NOMINAL"
              .formatted(question, ShellWords.file(path)));
    }
  }

  /** Warns of packets of time that did not count, because {@code --clock} does not tell enough. */
  static void warn(PacketClock clock, Terminal terminal) {
    if (clock.knowsNanos() && clock.lostMtc() + clock.lostCyc() > 0) {
      terminal
          .err()
          .println(
              "warning: between time stamps the time stands still: --clock does not tell how to use"
                  + " %s MTC and %s CYC"
                      .formatted(Numbers.count(clock.lostMtc()), Numbers.count(clock.lostCyc())));
    }
  }

  /** Returns true if the answers of libipt are wanted, also where it errs. */
  boolean asLibipt() {
    return rounding == Rounding.LIBIPT;
  }

  /** Returns a clock that has not seen a packet. */
  PacketClock newClock() {
    return new PacketClock(clock, rounding, errata);
  }
}
