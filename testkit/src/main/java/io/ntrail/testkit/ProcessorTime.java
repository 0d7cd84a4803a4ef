package io.ntrail.testkit;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * Processor time of this JVM, all of its threads together: the clock for bounds that must hold
 * however busy the machine is.
 */
public final class ProcessorTime {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private ProcessorTime() {}

  /** A piece of work without a result. */
  @FunctionalInterface
  public interface Work {
    /** Does it. */
    void run() throws Throwable;
  }

  /** A piece of work with a result. */
  @FunctionalInterface
  public interface Answer<T> {
    /** Does it. */
    T get() throws Throwable;
  }

  /** Nanoseconds that processors have worked for this JVM so far. */
  public static long nanos() {
    return SYSTEM.getProcessCpuTime();
  }

  /** Does a piece of work; an assertion fails if it takes more processor time than {@code most}. */
  public static void within(Duration most, Work work) {
    within(
        most,
        "it",
        () -> {
          work.run();
          return true;
        });
  }

  /** Does a piece of work with a result, within the same bound. */
  public static <T> T within(Duration most, Answer<T> work) {
    return within(most, "it", work);
  }

  /**
   * Does a piece of work; an assertion fails if it takes more processor time than {@code most}.
   *
   * @param what the work, for the message
   */
  public static <T> T within(Duration most, String what, Answer<T> work) {
    long begun = nanos();
    T result;
    try {
      result = work.get();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(what + " failed", e);
    }
    Duration took = Duration.ofNanos(nanos() - begun);
    if (took.compareTo(most) > 0) {
      throw new AssertionError(
          "%s took %d ms of processor time, at most %d ms were expected"
              .formatted(what, took.toMillis(), most.toMillis()));
    }
    return result;
  }
}
