package io.ntrail.live.session;

import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.Property.Gen;
import io.ntrail.testkit.live.SimulatedTarget;
import io.ntrail.testkit.live.SimulatedThread;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A session with a simulated target and a recorder, and the truth about what was recorded. */
final class Trial implements AutoCloseable {
  static final int FUNCTIONS = 20;

  /** Thrown where a thread is killed. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A thread that remembers what it did. */
  final class Logged {
    final SimulatedThread thread;
    final ThreadKey key;
    final List<String> items = new ArrayList<>();
    private int depth;
    boolean dead;

    Logged(int tid, long began) {
      thread = target.thread(tid, began);
      key = new ThreadKey(tid, began);
    }

    /** Writes a record that follows from those before; an entry or what ends one. */
    void step(Gen gen) {
      int choice = gen.below(16);
      int kind = SessionLayout.ENTRY;
      if (depth > 0 && (choice >= 8 || depth > 60)) {
        kind = choice == 15 ? SessionLayout.UNWIND : SessionLayout.EXIT;
      } else if (choice == 7) {
        kind = SessionLayout.ENTRY_ONLY;
      }
      int function = 1 + gen.below(FUNCTIONS);
      write(kind, function, gen.below(1000));
    }

    void write(int kind, int function, long value) {
      if (kind == SessionLayout.EXIT || kind == SessionLayout.UNWIND) {
        depth--;
      }
      boolean placed = kind != SessionLayout.ENTRY_ONLY;
      int area = placed ? thread.tid() & 0xFFF : 0;
      int slot = placed ? depth : 0;
      long key = 0x7FFF_0000L - 64L * depth;
      clock += 10;
      int places = session.records().argumentPlaces(8).size();
      List<Long> values = new ArrayList<>();
      long[] more = new long[places];
      for (int i = 0; i < places; i++) {
        more[i] = value * 31 + i;
        if (kind == SessionLayout.ENTRY || kind == SessionLayout.ENTRY_ONLY) {
          values.add(more[i]);
        }
      }
      long before = thread.kept();
      String text = RecordedSession.text(kind, clock, function, area, slot, key, value, values);
      int meta = kind | slot << 8 | area << 20;
      beingWritten = text;
      keptBefore = before;
      try {
        // What an unwind has above its code means nothing.
        long stored = kind == SessionLayout.UNWIND ? value | 0x55L << 40 : value;
        thread.record(clock, address(function), meta, stored, key, more);
      } finally {
        // Killed or not: whole is what has a meta.
        if (thread.kept() > before) {
          items.add(text);
        } else if (!dead) {
          RecordedSession.lost(items, thread.lost() - lostBefore);
        }
        lostBefore = thread.lost();
        beingWritten = null;
      }
      if (kind == SessionLayout.ENTRY) {
        depth++;
      }
    }

    private long lostBefore;
    private long keptBefore;
    private @Nullable String beingWritten;

    /**
     * Contents of the file at any store: a record that is whole counts before its write is over.
     */
    List<String> whole() {
      String last = beingWritten;
      if (last == null || thread.kept() == keptBefore) {
        return items;
      }
      List<String> all = new ArrayList<>(items);
      all.add(last);
      return all;
    }

    /** Contents of the file: everything but losses that no later chunk reports. */
    List<String> tellable() {
      List<String> told = new ArrayList<>(items);
      if (!told.isEmpty() && told.getLast().startsWith("lost ")) {
        told.removeLast();
      }
      return told;
    }
  }

  final SessionFile session;
  final SimulatedTarget target;
  final ByteArrayOutputStream file = new ByteArrayOutputStream();
  final Recorder recorder;
  final List<Logged> threads = new ArrayList<>();
  Runnable beforeStore = () -> {};
  long clock = 2_000;
  private boolean inHook;

  Trial(Path folder, int recordBytes, int chunks) {
    this(folder, recordBytes, chunks, null, 0);
  }

  Trial(Path folder, int recordBytes, int chunks, @Nullable OutputStream to, long maxBytes) {
    this(() -> SessionFile.create(folder, recordBytes, chunks), to, maxBytes);
  }

  /** Creates the session file. */
  @FunctionalInterface
  private interface Creation {
    SessionFile session() throws IOException;
  }

  /** Starts one whose session grows. */
  static Trial growing(Path folder, int recordBytes, int chunks, BufferMemory memory) {
    return new Trial(
        () -> SessionFile.create(List.of(folder), recordBytes, chunks, 64, memory), null, 0);
  }

  private Trial(Creation creation, @Nullable OutputStream to, long maxBytes) {
    try {
      session = creation.session();
      target = SimulatedTarget.map(session.path(), this::hook);
      NtrWriter writer =
          new NtrWriter(
              to == null ? file : to, RecordedSession.HEADER, 7, NtrWriter.Packing.FAST, 1 << 16);
      RecorderSettings settings = new RecorderSettings(1, 1_000, maxBytes);
      // Time stands still: chunks in use are looked at when a test flushes, and at no other time.
      recorder = Recorder.appending(session, writer, settings, () -> 0);
      define(recorder);
      session.enable(true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void define(Recorder recorder) {
    for (int f = 1; f <= FUNCTIONS; f++) {
      recorder.function(address(f), 0, new TracedFunction(f, 0, 4096L * f, "f" + f, List.of()));
    }
  }

  static int address(int function) {
    return 0x8000_1000 + 48 * function;
  }

  /** The recorder's own stores are none of the target's. */
  private void hook() {
    if (!inHook) {
      inHook = true;
      try {
        beforeStore.run();
      } finally {
        inHook = false;
      }
    }
  }

  Logged thread(int tid) {
    clock += 10;
    Logged thread = new Logged(tid, clock);
    threads.add(thread);
    return thread;
  }

  byte[] killed() {
    return file.toByteArray();
  }

  byte[] closed() {
    try {
      recorder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return file.toByteArray();
  }

  @Override
  public void close() {
    target.close();
    session.close();
  }
}
