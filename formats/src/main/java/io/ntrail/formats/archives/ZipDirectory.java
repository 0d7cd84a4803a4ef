package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Directory of a zip, at its end: the members that it lists, and where their data are. Sizes are
 * those that it claims; memory is taken for what was read alone.
 */
public final class ZipDirectory {
  /** Number of members beyond which an archive is refused. */
  public static final int MOST_MEMBERS = 100_000;

  private static final int END_SIGNATURE = 0x0605_4B50;
  private static final int END = 22;
  private static final int LONGEST_COMMENT = 0xFFFF;
  private static final int LOCATOR_SIGNATURE = 0x0706_4B50;
  private static final int LOCATOR = 20;
  private static final int END64_SIGNATURE = 0x0606_4B50;
  private static final int END64 = 56;

  private final InputFile zip;
  private final List<ZipMember> members;
  private final long start;

  /**
   * The record at the end.
   *
   * @param at its offset, behind the directory
   * @param count number of members
   * @param size bytes of the directory
   * @param offset of the directory, from the start of the zip
   */
  private record EndRecord(long at, long count, long size, long offset) {
    /** Returns true if the directory is in the file. */
    boolean fits() {
      return size >= 0 && offset >= 0 && size <= at && offset <= at - size;
    }
  }

  private ZipDirectory(InputFile zip, List<ZipMember> members, long start) {
    this.zip = zip;
    this.members = members;
    this.start = start;
  }

  /**
   * Reads the directory of a zip.
   *
   * @param zip open as long as members are inflated
   * @throws DamagedInput if it has none, or that is damaged
   * @throws CannotGoOn if there are more than {@link #MOST_MEMBERS}, or two members share bytes
   */
  public static ZipDirectory read(InputFile zip) {
    EndRecord end = endRecord(zip);
    if (end.count > MOST_MEMBERS) {
      throw tooMany(zip.name(), "%,d".formatted(end.count));
    }
    long start = end.at - end.size;
    long base = start - end.offset;
    ZipHeaders headers = new ZipHeaders(zip);
    List<ZipMember> members = new ArrayList<>();
    for (long at = start; at < end.at; ) {
      if (members.size() == MOST_MEMBERS) {
        throw tooMany(zip.name(), "more than %,d".formatted(MOST_MEMBERS));
      }
      ZipHeaders.Entry entry = headers.entry(at, base, end.at);
      members.add(entry.member());
      at = entry.end();
    }
    ZipDirectory directory = new ZipDirectory(zip, List.copyOf(members), start);
    directory.refuseOverlaps(headers);
    return directory;
  }

  /** Returns the refusal of an archive with too many members. */
  static CannotGoOn tooMany(String name, String count) {
    return new CannotGoOn(
        "%s contains %s members, and at most %,d are opened".formatted(name, count, MOST_MEMBERS),
        "unpack it and name the files that you need");
  }

  private static EndRecord endRecord(InputFile zip) {
    long from = Math.max(0, zip.size() - END - LONGEST_COMMENT);
    Bytes tail = zip.window(from, (int) (zip.size() - from));
    for (int i = tail.length() - END; i >= 0; i--) {
      if (tail.i32(i) == END_SIGNATURE && tail.has(i + END, tail.u16(i + 20))) {
        EndRecord end =
            new EndRecord(from + i, tail.u16(i + 10), tail.u32(i + 12), tail.u32(i + 16));
        EndRecord large = large(zip, end);
        if (large.fits()) {
          return large;
        }
      }
    }
    throw new DamagedInput(zip.name(), zip.size(), "the directory at its end is missing");
  }

  /** Returns the record of a large zip (zip64) before the ordinary one, if it is there. */
  private static EndRecord large(InputFile zip, EndRecord end) {
    long locator = end.at - LOCATOR;
    if (locator < END64 || zip.window(locator, 4).i32(0) != LOCATOR_SIGNATURE) {
      return end;
    }
    // Its offset is wrong by what was put before the zip; it lies right before its locator.
    for (long at : new long[] {zip.window(locator, LOCATOR).i64(8), locator - END64}) {
      if (at >= 0 && at <= locator - END64) {
        Bytes record = zip.window(at, END64);
        if (record.i32(0) == END64_SIGNATURE) {
          return new EndRecord(at, record.i64(32), record.i64(40), record.i64(48));
        }
      }
    }
    return end;
  }

  /** A member whose local header is damaged is never inflated, and shares nothing. */
  private void refuseOverlaps(ZipHeaders headers) {
    List<ZipMember> sorted = new ArrayList<>();
    members.forEach(member -> placed(member, headers).ifPresent(sorted::add));
    sorted.sort(Comparator.comparingLong(ZipMember::headerAt).thenComparingLong(ZipMember::end));
    for (int i = 1; i < sorted.size(); i++) {
      ZipMember first = sorted.get(i - 1);
      ZipMember second = sorted.get(i);
      if (second.headerAt() < first.end()) {
        throw new CannotGoOn(
            ("%s is refused: its members %s at offset %,d and %s at offset %,d share bytes, as in"
                    + " files that are made to inflate without end")
                .formatted(
                    zip.name(),
                    printable(first.name()),
                    first.headerAt(),
                    printable(second.name()),
                    second.headerAt()),
            "get a new copy");
      }
    }
  }

  private static Optional<ZipMember> placed(ZipMember member, ZipHeaders headers) {
    try {
      return Optional.of(withData(member, headers));
    } catch (DamagedInput e) {
      // It is reported when it is opened.
      return Optional.empty();
    }
  }

  private static ZipMember withData(ZipMember member, ZipHeaders headers) {
    return new ZipMember(
        member.name(),
        member.flags(),
        member.method(),
        member.headerAt(),
        headers.dataOf(member),
        member.packedSize(),
        member.size(),
        member.crc());
  }

  private static String printable(String name) {
    return name.codePoints()
        .map(c -> Character.isISOControl(c) ? '?' : c)
        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
        .toString();
  }

  /** The members that are not folders, in the order of the directory. */
  public List<ZipMember> members() {
    return members.stream().filter(member -> !member.isFolder()).toList();
  }

  /**
   * Opens a member.
   *
   * @throws DamagedInput if its local header is damaged
   */
  ZipMemberStream open(ZipMember member) {
    return new ZipMemberStream(zip, withData(member, new ZipHeaders(zip)), start);
  }
}
