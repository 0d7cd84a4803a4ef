package io.ntrail.live.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.live.code.SessionLayout;
import io.ntrail.testkit.live.SimulatedTarget;
import io.ntrail.testkit.live.SimulatedThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Threads that really run at once, come and go, with a recorder beside them. */
class RecorderStressTest {
  private static final int AT_ONCE = 4;

  /** Minimum of records of each thread, with and without losses. */
  private static final int WITHOUT_LOSS = 500_000;

  private static final int WITH_LOSSES = 100_000;

  @TempDir Path folder;

  private final Set<Integer> alive = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<SimulatedThread> dead = new ConcurrentLinkedQueue<>();

  private void live(SimulatedTarget target, int place, boolean polite) {
    int life = 0;
    for (long done = 0; done < (polite ? WITHOUT_LOSS : WITH_LOSSES); life++) {
      int tid = place + AT_ONCE * (life % 3);
      alive.add(tid);
      SimulatedThread thread = target.thread(tid, System.nanoTime());
      int records = 1 + (life * 7919 + place * 104_729) % 100_000;
      for (int i = 0; i < records; i++) {
        while (polite && i % 256 == 0 && target.chunksFree() < 2 * AT_ONCE) {
          LockSupport.parkNanos(100_000);
        }
        // The value is the number of the record, lost or not.
        int meta = SessionLayout.ENTRY + i % 2 | place << 20;
        thread.record(System.nanoTime(), Trial.address(1 + i / 2 % 20), meta, i, 4096);
      }
      done += thread.kept();
      dead.add(thread);
      alive.remove(tid);
    }
  }

  private static boolean isDone(Future<?> thread) throws Exception {
    try {
      thread.get(20, TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  private void run(int chunks, boolean losses) throws Exception {
    Path file = folder.resolve("stress" + chunks + ".ntr");
    try (SessionFile session = SessionFile.create(32, chunks);
        SimulatedTarget target = SimulatedTarget.map(session.path());
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE)) {
      NtrWriter writer = new NtrWriter(Files.newOutputStream(file), RecordedSession.HEADER, 7);
      Recorder recorder = Recorder.appending(session, writer, new RecorderSettings(1, 1_000, 0));
      Trial.define(recorder);
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        int place = i;
        running.add(threads.submit(() -> live(target, place, !losses)));
      }
      // While nothing reads, the chunks run out sooner or later.
      while (losses && session.lost() == 0 && !running.getFirst().isDone()) {
        Thread.onSpinWait();
      }
      try (RecorderThread polling = RecorderThread.start(recorder)) {
        for (Future<?> thread : running) {
          while (!isDone(thread)) {
            long ticks = System.nanoTime();
            recorder.retain(Set.copyOf(alive), ticks);
            assertEquals(Optional.empty(), polling.failure());
          }
        }
      }
      recorder.retain(Set.of(), System.nanoTime());
      recorder.close();
      RecorderStatistics counted = recorder.statistics();
      assertEquals(0, counted.damaged(), () -> "" + counted.remarks());
      assertEquals(chunks, counted.buffersFree());
      long lost = compare(file);
      assertEquals(losses, lost > 0, lost + " lost");
      long kept = dead.stream().mapToLong(SimulatedThread::kept).sum();
      assertEquals(kept, counted.captured().events());
      assertTrue(kept > 2L * chunks * session.recordsPerChunk(), kept + " records");
    }
  }

  private long compare(Path file) throws IOException {
    Map<ThreadKey, SimulatedThread> truth = new HashMap<>();
    dead.forEach(thread -> truth.put(new ThreadKey(thread.tid(), thread.began()), thread));
    Gaps gaps = new Gaps();
    long read = 0;
    long lost = 0;
    try (NtrFile ntr = NtrFile.open(InputFile.map(file, "stress.ntr"), gaps)) {
      for (long number : ntr.threadsWithEvents()) {
        TracedThread defined = Objects.requireNonNull(ntr.threads().get(number));
        assertTrue(defined.ended() > 0);
        SimulatedThread thread =
            Objects.requireNonNull(truth.get(new ThreadKey((int) defined.tid(), defined.began())));
        long next = 0;
        long told = 0;
        long kept = 0;
        try (ThreadEventCursor cursor = ntr.cursor(number, gaps)) {
          while (cursor.next()) {
            next += cursor.lostBefore();
            told += cursor.lostBefore();
            assertEquals(next, cursor.value());
            next++;
            kept++;
          }
          told += cursor.lostAtEnd();
        }
        assertEquals(thread.kept(), kept);
        assertTrue(told <= thread.lost());
        read += kept;
        lost += thread.lost();
      }
    }
    assertEquals(List.of(), gaps.list());
    assertEquals(dead.stream().mapToLong(SimulatedThread::kept).sum(), read);
    return lost;
  }

  @Test
  void threadsThatComeAndGoLoseNothingWhileChunksAreFree() throws Exception {
    run(64, false);
  }

  @Test
  void whatIsLostIsExactlyWhatIsMissing() throws Exception {
    run(6, true);
  }
}
