package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.capture.CapturedThread;
import io.ntrail.live.capture.ProcessCapture;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.x64.StackWalker;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that does everything at once is looked at again and again while it runs, and never
 * notices, also where ntrail dies meanwhile: then both pipes of its agent are closed.
 *
 * <p>-Dntrail.torture=SECONDS: for so long, else a few rounds, or a minute with -Dntrail.long=true.
 * -Dntrail.seed=N: the course of things that was printed with this number.
 */
final class CaptureTortureTest {
  private static final long SECONDS =
      Long.getLong("ntrail.torture", Boolean.getBoolean("ntrail.long") ? 60 : 0);

  private static final int FEWEST_ROUNDS = 6;
  private static final long SEED = Long.getLong("ntrail.seed", System.nanoTime() & 0xFFFF);
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int MAX_NANOS = 60_000_000;

  @TempDir Path folder;

  private final Random random = new Random(SEED);
  private final Map<StackWalk.End, Integer> ends = new EnumMap<>(StackWalk.End.class);
  private int captures;
  private int deaths;
  private long[] nanos = new long[0];

  @Test
  void programThatIsLookedAtDoesNotNotice() throws Exception {
    try (Programs programs = new Programs(folder)) {
      Path own = Files.createDirectories(folder.resolve("torture"));
      Torture torture = Torture.start(programs, own, SEED, 2);
      long end = System.nanoTime() + Duration.ofSeconds(SECONDS).toNanos();
      for (int i = 0; i < FEWEST_ROUNDS || System.nanoTime() < end; i++) {
        round(programs, torture.pid(), i % 2 == 1);
        torture.mustRun();
      }
      String done = torture.end();
      Arrays.sort(nanos);
      System.out.printf(
          "seed %d: %d captures, %d deaths; walks ended %s; suspended %,d ns in the middle, %,d ns"
              + " at most; the program: %s%n",
          SEED, captures, deaths, ends, nanos[nanos.length / 2], nanos[nanos.length - 1], done);
      // Fibers end where their stack does, and code that raises exceptions is in no function.
      assertTrue(
          ends.getOrDefault(StackWalk.End.END_OF_STACK, 0)
              > ends.values().stream().mapToInt(i -> i).sum() * 9 / 10,
          "seed " + SEED + ": " + ends);
    } catch (AssertionError | CannotGoOn e) {
      throw new AssertionError("-Dntrail.seed=" + SEED + ": " + e.getMessage(), e);
    }
  }

  private void round(Programs programs, int pid, boolean dies) throws Exception {
    Wine wine = programs.wine();
    AgentConnection connection = new AgentHost.Wine(wine.loader(), wine.environment()).start();
    try (Agent agent = Agent.on(connection, PATIENCE)) {
      WindowsApi calls = new WindowsApi(agent);
      RunningProcess running = RunningProcess.named(calls, Integer.toString(pid));
      if (!dies) {
        try (TargetProcess process = TargetProcess.attach(calls, running)) {
          look(process);
        }
        return;
      }
      Thread killer =
          Thread.ofPlatform()
              .start(() -> {
                LockSupport.parkNanos(random.nextInt(MAX_NANOS));
                close(connection);
              });
      try {
        // As often as it can: its death is to come in between.
        while (true) {
          ProcessCapture.of(TargetProcess.attach(calls, running), ProcessCapture.MOST_STACK);
        }
      } catch (CannotGoOn e) {
        deaths++;
      }
      killer.join();
    }
  }

  private static void close(AgentConnection connection) {
    try {
      connection.toAgent().close();
      connection.fromAgent().close();
    } catch (IOException e) {
      // It writes to a pipe without a reader.
    }
  }

  private void look(TargetProcess process) {
    ProcessCapture capture = ProcessCapture.of(process, ProcessCapture.MOST_STACK);
    StackWalker walker = capture.walker();
    for (CapturedThread thread : capture.threads()) {
      ends.merge(walker.walk(thread.registers(), capture.memory()).end(), 1, Integer::sum);
    }
    captures++;
    long[] more = capture.threads().stream().mapToLong(CapturedThread::suspendedNanos).toArray();
    int before = nanos.length;
    nanos = Arrays.copyOf(nanos, before + more.length);
    System.arraycopy(more, 0, nanos, before, more.length);
  }
}
