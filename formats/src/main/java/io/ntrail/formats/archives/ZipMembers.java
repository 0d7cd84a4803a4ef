package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.ZipException;

/** Opens members of a zip, by its directory or, if that is lost, one after the other. */
final class ZipMembers {
  /** Bytes of unwanted members that are inflated, since only that shows where they end. */
  private static final long MOST_SKIPPED = 1L << 30;

  private static final int LARGEST_DESCRIPTOR = 24;

  private final InputFile zip;
  private final MemberChoice choice;
  private final Gaps gaps;
  private final MemberInflation inflation;
  private final List<InputFile> opened;
  private final List<String> others = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private final byte[] skippedBytes = new byte[1 << 16];
  private long skipped;

  private ZipMembers(InputFile zip, MemberChoice choice, Gaps gaps, List<InputFile> opened) {
    this.zip = zip;
    this.choice = choice;
    this.gaps = gaps;
    this.opened = opened;
    this.inflation = new MemberInflation(choice, gaps);
  }

  static void open(Path path, String name, MemberChoice choice, Gaps gaps, List<InputFile> opened)
      throws IOException {
    try (InputFile zip = InputFile.map(path, name)) {
      open(zip, choice, gaps, opened);
    }
  }

  static void open(InputFile zip, MemberChoice choice, Gaps gaps, List<InputFile> opened)
      throws IOException {
    ZipMembers members = new ZipMembers(zip, choice, gaps, opened);
    Optional<ZipDirectory> directory = members.directory();
    if (directory.isPresent()) {
      members.openListed(directory.get());
    } else {
      members.openInSequence();
    }
    members.refuseNothing();
  }

  private Optional<ZipDirectory> directory() {
    try {
      return Optional.of(ZipDirectory.read(zip));
    } catch (DamagedInput e) {
      gaps.add(new Gap(zip.name(), e.offset(), -1, "zip directory", e.what()));
      return Optional.empty();
    }
  }

  private void refuseNothing() {
    if (opened.isEmpty() && !refused.isEmpty()) {
      throw new CannotGoOn(refused.getFirst(), "unpack it with another tool and name the file");
    }
    inflation.finish(opened);
    if (!opened.isEmpty()) {
      return;
    }
    throw CannotGoOn.of(
        CannotGoOn.Reason.ARCHIVE_MEMBERS,
        zip.name(),
        zip.name()
            + " is a zip file that contains no file to read"
            + (others.isEmpty() ? "" : " (it contains " + others.getFirst() + ", ...)"),
        "");
  }

  private void openListed(ZipDirectory directory) throws IOException {
    for (ZipMember member : directory.members()) {
      if (isWanted(member)) {
        try (ZipMemberStream in = directory.open(member)) {
          inflation.inflate(in, nameOf(member), opened);
        } catch (DamagedInput e) {
          gaps.add(new Gap(zip.name(), e.offset(), -1, "zip member", e.what()));
        }
      }
    }
  }

  /** Notes what is not wanted, or cannot be inflated. */
  private boolean isWanted(ZipMember member) {
    if (!choice.accepts(member.name().toLowerCase(Locale.ROOT))) {
      others.add(member.name());
      return false;
    }
    String refusal = member.refusal();
    if (!refusal.isEmpty()) {
      refused.add(nameOf(member) + " " + refusal);
      gaps.add(new Gap(nameOf(member), 0, member.size(), "compressed file", "it " + refusal));
      return false;
    }
    return true;
  }

  private String nameOf(ZipMember member) {
    return zip.name() + "!/" + member.name();
  }

  /** Reads a zip that has lost its directory: its members are still one after the other. */
  private void openInSequence() throws IOException {
    ZipHeaders headers = new ZipHeaders(zip);
    int count = 0;
    long at = 0;
    try {
      while (at >= 0 && headers.signature(at) == ZipHeaders.LOCAL_SIGNATURE) {
        if (count++ == ZipDirectory.MOST_MEMBERS) {
          throw ZipDirectory.tooMany(
              zip.name(), "more than %,d".formatted(ZipDirectory.MOST_MEMBERS));
        }
        at = openAt(headers.member(at), headers);
      }
      if (at >= 0 && at < zip.size() && headers.signature(at) != ZipHeaders.CENTRAL_SIGNATURE) {
        gaps.add(new Gap(zip.name(), at, -1, "zip member", "no member starts here"));
      }
    } catch (DamagedInput e) {
      gaps.add(new Gap(zip.name(), e.offset(), -1, "zip member", e.what()));
    } catch (EOFException | ZipException e) {
      gaps.add(new Gap(zip.name(), at, -1, "zip member", "it is truncated or damaged"));
    }
  }

  /** Opens a member if it is wanted; returns the offset of the next one, or -1 if unknown. */
  private long openAt(ZipMember member, ZipHeaders headers) throws IOException {
    boolean wanted = !member.isFolder() && isWanted(member);
    if (!wanted && member.packedSize() >= 0) {
      return member.end();
    }
    if (member.packedSize() < 0
        && (member.method() != ZipMember.DEFLATED || !member.refusal().isEmpty())) {
      throw new DamagedInput(zip.name(), member.dataAt(), "only the directory knows where it ends");
    }
    try (ZipMemberStream in = new ZipMemberStream(zip, member, zip.size())) {
      boolean read = wanted && inflation.inflate(in, nameOf(member), opened);
      if (!read && member.packedSize() < 0) {
        skip(in, member);
      }
      return member.packedSize() >= 0 ? member.end() : afterDescriptor(in.inflatedTo(), headers);
    }
  }

  private void skip(ZipMemberStream in, ZipMember member) throws IOException {
    int n = 0;
    while (n >= 0) {
      skipped += n;
      if (skipped > MOST_SKIPPED) {
        throw new DamagedInput(
            zip.name(), member.dataAt(), "the end of a large member, which is not needed, is far");
      }
      n = in.read(skippedBytes);
    }
  }

  /** Sizes and checksum behind a member have several forms: the next header tells. */
  private long afterDescriptor(long end, ZipHeaders headers) {
    for (long at = end; at <= end + LARGEST_DESCRIPTOR; at += 4) {
      int signature = headers.signature(at);
      if (signature == ZipHeaders.LOCAL_SIGNATURE || signature == ZipHeaders.CENTRAL_SIGNATURE) {
        return at;
      }
    }
    gaps.add(new Gap(zip.name(), Math.min(end, zip.size()), -1, "zip member", "no member follows"));
    return -1;
  }
}
