package io.ntrail.analysis.calls;

import io.ntrail.formats.bytes.Gap;
import io.ntrail.testkit.calls.RandomCalls.Rec;
import java.util.List;
import java.util.OptionalLong;

/** A source of records that a test has in a list. */
record RecordedCalls(Matching matching, boolean shared, List<List<Rec>> records)
    implements CallSource {
  static RecordedCalls of(Matching matching, List<Rec> records) {
    return new RecordedCalls(matching, false, List.of(records));
  }

  @Override
  public String name() {
    return "test";
  }

  @Override
  public String kind() {
    return "list";
  }

  @Override
  public String format() {
    return "list";
  }

  @Override
  public long size() {
    return 0;
  }

  @Override
  public CallClock clock() {
    return new CallClock(true, shared);
  }

  @Override
  public List<CallThread> threads() {
    return java.util.stream.IntStream.range(0, records.size())
        .mapToObj(i -> new CallThread(1, i, null, null, records.get(i).size(), 0))
        .toList();
  }

  @Override
  public CallCursor cursor(int thread) {
    return new Cursor(records.get(thread));
  }

  @Override
  public List<CallModule> modules() {
    return List.of();
  }

  @Override
  public CallFunction function(long function) {
    return new CallFunction(null, function, null);
  }

  @Override
  public OptionalLong lost() {
    return OptionalLong.of(0);
  }

  @Override
  public List<Gap> gaps() {
    return List.of();
  }

  @Override
  public void close() {
    // Nothing to give back.
  }

  private static final class Cursor implements CallCursor {
    private final List<Rec> records;
    private int at = -1;

    Cursor(List<Rec> records) {
      this.records = records;
    }

    @Override
    public boolean next() {
      at++;
      return at < records.size();
    }

    @Override
    public void seek(long position) {
      at = (int) position - 1;
    }

    @Override
    public long position() {
      return at + 1L;
    }

    @Override
    public CallEventKind event() {
      return switch (records.get(at).kind()) {
        case ENTRY -> CallEventKind.ENTRY;
        case EXIT -> CallEventKind.EXIT;
        case UNWIND -> CallEventKind.UNWIND;
        case LOST -> CallEventKind.LOST;
        case ENTRY_ONLY -> CallEventKind.ENTRY_ONLY;
        case UNWIND_TARGET -> CallEventKind.UNWIND_TARGET;
      };
    }

    @Override
    public long time() {
      return records.get(at).time();
    }

    @Override
    public long function() {
      return records.get(at).function();
    }

    @Override
    public long value() {
      return records.get(at).value();
    }

    @Override
    public int area() {
      return records.get(at).area();
    }

    @Override
    public int slot() {
      return records.get(at).slot();
    }

    @Override
    public long stackPointer() {
      return records.get(at).stackPointer();
    }

    @Override
    public long frameKey() {
      return records.get(at).key();
    }
  }
}
