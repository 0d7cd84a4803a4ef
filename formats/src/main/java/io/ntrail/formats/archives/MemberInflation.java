package io.ntrail.formats.archives;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputBuilder;
import io.ntrail.formats.bytes.InputFile;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/** Makes inputs of streams: asks by their beginnings, and turns damage into gaps. */
final class MemberInflation {
  private final MemberChoice choice;
  private final Gaps gaps;
  private final byte[] chunk = new byte[MemberChoice.HEAD];
  private final List<CannotGoOn> refusals = new ArrayList<>();
  private final List<Gap> refused = new ArrayList<>();

  MemberInflation(MemberChoice choice, Gaps gaps) {
    this.choice = choice;
    this.gaps = gaps;
  }

  /**
   * Inflates one of several members. One whose beginning is not wanted does not keep the others
   * from being read.
   *
   * @return true if it was added
   * @throws CannotGoOn if there is no room for it
   */
  boolean inflate(InputStream in, String name, List<InputFile> opened) throws IOException {
    try {
      return opened.add(inflate(in, name));
    } catch (CannotGoOn e) {
      if (!refusals.contains(e)) {
        throw e;
      }
      refused.add(e.ofMember(name, -1));
      return false;
    }
  }

  /**
   * Ends with the last member: those that were not wanted are gaps if another one was opened.
   *
   * @throws CannotGoOn the refusal of the first member, if none was opened for such refusals
   */
  void finish(List<InputFile> opened) {
    if (!opened.isEmpty()) {
      refused.forEach(gaps::add);
    } else if (!refusals.isEmpty()) {
      throw refusals.getFirst();
    }
  }

  /**
   * Inflates everything that a stream gives. The end of damaged data is the end of the input, with
   * a gap.
   *
   * @throws CannotGoOn if the beginning is not wanted, or there is no room for the rest
   */
  InputFile inflate(InputStream in, String name) throws IOException {
    gaps.register(name);
    try (InputBuilder content = new InputBuilder(name)) {
      boolean more = fill(in, content, MemberChoice.HEAD);
      // A small one costs nothing, and whoever opens it can say best what it is.
      if (more && !decide(content, false)) {
        more = fill(in, content, MemberChoice.LONG_HEAD);
        decide(content, true);
      }
      if (more) {
        fill(in, content, Long.MAX_VALUE);
      }
      return content.finish();
    }
  }

  private boolean decide(InputBuilder content, boolean isLast) {
    try {
      return choice.decide(content.soFar(), isLast);
    } catch (CannotGoOn e) {
      refusals.add(e);
      throw e;
    }
  }

  /** Reads until so many bytes are there; false if there are fewer. */
  private boolean fill(InputStream in, InputBuilder content, long size) throws IOException {
    while (content.size() < size) {
      int length = (int) Math.min(chunk.length, size - content.size());
      int n = read(in, length, content);
      content.append(chunk, 0, n);
      if (n < length) {
        return false;
      }
    }
    return true;
  }

  /** Reads so many bytes into the chunk, or fewer at the end of what can be read. */
  private int read(InputStream in, int length, InputBuilder content) throws IOException {
    int done = 0;
    try {
      while (done < length) {
        int n = in.read(chunk, done, length - done);
        if (n < 0) {
          return done;
        }
        done += n;
      }
      return done;
    } catch (EOFException e) {
      gap(content, done, "the compressed file is truncated");
    } catch (ZipException | DamagedInput e) {
      gap(content, done, String.valueOf(e.getMessage()));
    }
    return done;
  }

  private void gap(InputBuilder content, int read, String why) {
    gaps.add(new Gap(content.name(), content.size() + read, -1, "compressed data", why));
  }
}
