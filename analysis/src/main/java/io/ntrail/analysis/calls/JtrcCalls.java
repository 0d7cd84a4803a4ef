package io.ntrail.analysis.calls;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.jtrc.JtrcClient;
import io.ntrail.formats.jtrc.JtrcCursor;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.formats.jtrc.JtrcImage;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The calls in a file of NTrace. */
public final class JtrcCalls implements CallSource {
  private final JtrcFile file;
  private final Gaps gaps;
  private final List<CallThread> threads;
  private final List<CallModule> modules;

  /**
   * The calls in a file.
   *
   * @param file closed with this
   * @param gaps those of the file; receives what its records leave
   */
  public JtrcCalls(JtrcFile file, Gaps gaps) {
    this.file = file;
    this.gaps = gaps;
    List<CallThread> clients = new ArrayList<>();
    for (JtrcClient client : file.clients()) {
      clients.add(
          new CallThread(
              client.pid(), client.tid(), null, null, client.records(), client.firstTicks(0)));
    }
    this.threads = List.copyOf(clients);
    this.modules = file.images().stream().map(JtrcCalls::module).toList();
  }

  private static CallModule module(JtrcImage image) {
    return new CallModule(
        WindowsPath.lastPart(image.path()),
        image.path(),
        image.base(),
        image.size(),
        image.timestamp(),
        image.pdb());
  }

  @Override
  public String name() {
    return file.name();
  }

  @Override
  public String kind() {
    return "call recording of NTrace";
  }

  @Override
  public String format() {
    return "jtrc";
  }

  @Override
  public long size() {
    return file.size();
  }

  /** Returns the file that the calls are in. */
  public JtrcFile file() {
    return file;
  }

  /** Processors of those days did not count alike: times of two threads cannot be compared. */
  @Override
  public CallClock clock() {
    return new CallClock(false, file.header().performanceCounter());
  }

  @Override
  public Matching matching() {
    return Matching.ROUTINE;
  }

  @Override
  public List<CallThread> threads() {
    return threads;
  }

  @Override
  public CallCursor cursor(int thread) {
    return new Cursor(file.cursor(file.clients().get(thread), gaps));
  }

  @Override
  public List<CallModule> modules() {
    return modules;
  }

  @Override
  public CallFunction function(long function) {
    return new CallFunction(
        file.imageAt(function).map(JtrcCalls::module).orElse(null), function, null);
  }

  /** Not stored in the file. */
  @Override
  public OptionalLong lost() {
    return OptionalLong.empty();
  }

  @Override
  public List<Gap> gaps() {
    return gaps.list();
  }

  @Override
  public void close() {
    file.close();
  }

  /** The records of a client. */
  private record Cursor(JtrcCursor records) implements CallCursor {
    @Override
    public boolean next() {
      return records.next();
    }

    @Override
    public void seek(long position) {
      records.seek(position);
    }

    @Override
    public long position() {
      return records.nextRecord();
    }

    @Override
    public CallEventKind event() {
      return switch (records.kind()) {
        case JtrcCursor.ENTRY -> CallEventKind.ENTRY;
        case JtrcCursor.EXIT -> CallEventKind.EXIT;
        default -> CallEventKind.UNWIND;
      };
    }

    @Override
    public long time() {
      return records.ticks();
    }

    @Override
    public long function() {
      return records.procedure();
    }

    @Override
    public long value() {
      return records.value();
    }
  }
}
