package io.ntrail.analysis.etw.recording;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.identity.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Evidence that files are not parts of one recording: their headers name different machines or
 * boots, or hours lie between them. What a header does not say is no evidence.
 */
public final class RecordingContradictions {
  /** Windows sets the time of its boot anew whenever its clock is set, usually by less. */
  private static final long BOOT_TOLERANCE = 10 * FileTime.SECOND;

  /** Sessions of one recording overlap, and files of one session follow one another at once. */
  private static final long FAR_APART = 3600 * FileTime.SECOND;

  /** Bytes at the beginning and at the end of files that are compared. */
  private static final long COMPARED = 1 << 20;

  /** Pairs of files whose events are compared, some milliseconds each: of 16 files all. */
  private static final int MOST_PAIRS = 120;

  private RecordingContradictions() {}

  /**
   * Evidence against two files.
   *
   * @param first name of the one, {@code ARCHIVE!/MEMBER} for a member of an archive
   * @param second name of the other
   * @param text a clause that names both
   */
  public record Contradiction(String first, String second, String text) {}

  private record Known(EtlFile file, LogFileHeader header) {
    String name() {
      return file.name();
    }
  }

  /**
   * Returns why two of some files cannot be parts of one recording; empty if nothing speaks against
   * it.
   */
  public static Optional<Contradiction> of(List<EtlFile> files) {
    List<Known> known = new ArrayList<>();
    for (EtlFile file : files) {
      file.header().ifPresent(header -> known.add(new Known(file, header)));
    }
    for (int i = 1; i < known.size(); i++) {
      Optional<Contradiction> why = pair(known.getFirst(), known.get(i));
      if (why.isPresent()) {
        return why;
      }
    }
    return farApart(known);
  }

  /**
   * Returns which of some files has events that an earlier one has, too, as a clause; empty if none
   * is known to have any.
   */
  static Optional<String> copies(List<EtlFile> files) {
    int pairs = 0;
    for (int i = 1; i < files.size(); i++) {
      EtlFile file = files.get(i);
      for (EtlFile before : files.subList(0, i)) {
        if (areCopies(before, file)) {
          return Optional.of(
              before.name().equals(file.name())
                  ? file.name() + " is named twice: its events are counted twice"
                  : before.name()
                      + " and "
                      + file.name()
                      + " are copies of each other: their events are counted twice");
        }
        if (CommonEvents.areExpected(before, file)
            && pairs++ < MOST_PAIRS
            && CommonEvents.areFound(before, file)) {
          return Optional.of(
              before.name()
                  + " and "
                  + file.name()
                  + " have the same events, or some of them: these are counted twice");
        }
      }
    }
    return Optional.empty();
  }

  private static boolean areCopies(EtlFile a, EtlFile b) {
    long size = a.size();
    int length = (int) Math.min(size, COMPARED);
    return size == b.size()
        && a.buffers().count() > 1
        && a.window(0, length).equalsBytes(b.window(0, length))
        && a.window(size - length, length).equalsBytes(b.window(size - length, length));
  }

  private static Optional<Contradiction> pair(Known a, Known b) {
    LogFileHeader x = a.header;
    LogFileHeader y = b.header;
    // Sessions without buffers per processor count one.
    if (x.processors() > 1 && y.processors() > 1 && x.processors() != y.processors()) {
      return different(a, b, "machines", x.processors() + " and " + y.processors() + " processors");
    }
    if (x.perfFreq() != 0 && y.perfFreq() != 0 && x.perfFreq() != y.perfFreq()) {
      return different(
          a,
          b,
          "machines",
          "performance counters of " + x.perfFreq() + " and " + y.perfFreq() + " Hz");
    }
    if (x.providerVersion() != 0 && y.providerVersion() != 0 && !windows(x).equals(windows(y))) {
      return different(a, b, "machines or boots", "Windows " + windows(x) + " and " + windows(y));
    }
    if (x.bootTime() != 0
        && y.bootTime() != 0
        && Math.abs(x.bootTime() - y.bootTime()) > BOOT_TOLERANCE) {
      return different(
          a,
          b,
          "machines or boots",
          "booted at " + FileTime.text(x.bootTime()) + " and " + FileTime.text(y.bootTime()));
    }
    return Optional.empty();
  }

  private static String windows(LogFileHeader header) {
    return header.osMajor() + "." + header.osMinor() + "." + header.providerVersion();
  }

  private static Optional<Contradiction> different(Known a, Known b, String what, String why) {
    return Optional.of(
        new Contradiction(
            a.name(),
            b.name(),
            "%s and %s are of different %s (%s)".formatted(a.name(), b.name(), what, why)));
  }

  private static Optional<Contradiction> farApart(List<Known> known) {
    List<Known> byStart =
        known.stream()
            .filter(k -> k.header.startTime() != 0)
            .sorted((a, b) -> Long.compare(a.header.startTime(), b.header.startTime()))
            .toList();
    long end = Long.MAX_VALUE;
    Known last = null;
    for (Known next : byStart) {
      if (last != null && next.header.startTime() - end > FAR_APART) {
        return Optional.of(
            new Contradiction(
                last.name(),
                next.name(),
                String.format(
                    Locale.ROOT,
                    "%s ends %.1f hours before %s starts",
                    last.name(),
                    (next.header.startTime() - end) / (double) (3600 * FileTime.SECOND),
                    next.name())));
      }
      // The end of a file that was never finalised is unknown: it may reach anywhere.
      long own = next.header.endTime() == 0 ? Long.MAX_VALUE / 2 : next.header.endTime();
      if (last == null || own > end) {
        end = own;
        last = next;
      }
    }
    return Optional.empty();
  }
}
