package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import java.util.ArrayList;
import java.util.List;

/**
 * File of ipt.sys, Windows' driver: the rings of a process's threads, one behind the other, each
 * behind its header and at any alignment. The driver's answer begins with 8 bytes, IPT_TRACE_DATA
 * (version, validity, size of the rest); the files of ipttool begin with the first thread.
 *
 * <p>Source: the structures of winipt's header. No file of Windows is at hand.
 *
 * @param isValid false if the driver says that the trace is not valid
 * @param threads in the order of the file
 */
public record IptTraceData(boolean isValid, List<IptThreadTrace> threads) {
  private static final int HEAD = 8;
  private static final int HEADER = 28;
  private static final int KNOWN_VERSION = 1;
  private static final long PAGE = 4096;

  /** Threads that are read; a process has far fewer. */
  private static final int MOST = 1 << 16;

  /** The largest setting of timing, and of the frequency of MTC. */
  private static final int LARGEST_TIMING = 2;

  private static final int LARGEST_FREQUENCY = 15;

  /** Keeps the list from changes. */
  public IptTraceData {
    threads = List.copyOf(threads);
  }

  /** Returns true if a file begins as such files do: no stream does. */
  public static boolean looksLike(InputFile file) {
    boolean hasHead = hasHead(file);
    int at = hasHead ? HEAD : 0;
    if (file.size() < at + HEADER) {
      return false;
    }
    Bytes head = file.window(0, at + HEADER);
    boolean isKnown = !hasHead || head.u16(0) == KNOWN_VERSION && head.u16(2) <= 1;
    long size = head.u32(at + 24);
    return isKnown
        && head.i64(at) > 0
        && head.i64(at) >>> Integer.SIZE == 0
        && head.u32(at + 8) <= LARGEST_TIMING
        && head.u32(at + 12) <= LARGEST_FREQUENCY
        && head.u32(at + 20) <= size
        && size > 0
        && size % PAGE == 0;
  }

  /** Thread ids have 32 bits; in their place the head has the size of what follows. */
  private static boolean hasHead(InputFile file) {
    return file.size() >= HEAD && file.window(0, HEAD).u32(4) != 0;
  }

  /**
   * Reads the headers of all threads.
   *
   * @param file one that {@link #looksLike} such a file
   * @param gaps receives what cannot be read
   */
  public static IptTraceData of(InputFile file, Gaps gaps) {
    long at = 0;
    long end = file.size();
    boolean isValid = true;
    if (hasHead(file)) {
      Bytes head = file.window(0, HEAD);
      isValid = head.u16(2) != 0;
      if (!isValid) {
        String why = "the driver has marked it as not valid";
        gaps.add(new Gap(file.name(), 0, HEAD, "trace data", why));
      }
      at = HEAD;
      end = HEAD + head.u32(4);
      if (end > file.size()) {
        String why = "the file ends " + (end - file.size()) + " bytes before the trace data does";
        gaps.add(new Gap(file.name(), file.size(), end - file.size(), "trace data", why));
        end = file.size();
      } else if (end < file.size()) {
        String why = "behind the " + (end - HEAD) + " bytes that TraceSize names";
        gaps.add(new Gap(file.name(), end, file.size() - end, "trace data", why));
      }
    }
    List<IptThreadTrace> threads = new ArrayList<>();
    while (at < end) {
      String why =
          threads.size() == MOST
              ? "more than " + MOST + " threads"
              : end - at < HEADER ? "cut in the header of a thread" : damage(file, at);
      if (!why.isEmpty()) {
        gaps.add(new Gap(file.name(), at, end - at, "thread", why));
        break;
      }
      IptThreadTrace thread = thread(file, at, end);
      threads.add(thread);
      if (!thread.isWhole()) {
        gaps.add(cut(file, thread));
      }
      at += HEADER + thread.present();
    }
    return new IptTraceData(isValid, threads);
  }

  /** Returns why a header is none, from which nobody can tell where the next one is. */
  private static String damage(InputFile file, long at) {
    Bytes header = file.window(at, HEADER);
    if (header.i64(0) >>> Integer.SIZE != 0) {
      return "no header of a thread: ThreadId has more than 32 bits";
    }
    return header.u32(20) > header.u32(24)
        ? "no header of a thread: RingBufferOffset "
            + header.u32(20)
            + " in "
            + header.u32(24)
            + " bytes"
        : "";
  }

  private static IptThreadTrace thread(InputFile file, long at, long end) {
    Bytes header = file.window(at, HEADER);
    long size = header.u32(24);
    return new IptThreadTrace(
        header.i64(0),
        header.u32(8),
        header.u32(12),
        header.u32(16),
        header.u32(20),
        size,
        at + HEADER,
        Math.min(size, end - at - HEADER));
  }

  private static Gap cut(InputFile file, IptThreadTrace thread) {
    String left =
        thread.present() > thread.ringOffset()
            ? ", and the older part of the ring is left out"
            : "";
    long from = thread.at() + thread.bytes();
    return new Gap(
        file.name(),
        from,
        thread.at() + thread.ringBytes() - from,
        "ring of thread " + thread.threadId(),
        "cut: " + thread.present() + " of " + thread.ringBytes() + " bytes are there" + left);
  }
}
