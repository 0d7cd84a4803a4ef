package io.ntrail.live.modules;

import io.ntrail.live.windows.TargetClock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Modules with selected functions that were loaded and are not traced yet, or never will be. */
final class UntracedModules {
  private final TargetClock clock;
  private final Predicate<String> mayWant;
  private final Listener listener;
  private final Map<Long, Since> late = new LinkedHashMap<>();
  private final Map<Long, Since> refused = new HashMap<>();
  private final long beganTicks;
  private final long beganNanos;
  private long lookNanos;

  /** Takes times in which calls of a module were not recorded. */
  @FunctionalInterface
  interface Listener {
    /**
     * Takes a time.
     *
     * @param to ticks; 0: until the end
     */
    void untraced(String path, long from, long to, String why);
  }

  /**
   * Beginning of such a time.
   *
   * @param path of the module; null if unknown
   * @param ticks when the module was loaded, or the latest moment when it was not there
   * @param why a clause
   */
  record Since(@Nullable String path, long ticks, String why) {}

  /**
   * Has none.
   *
   * @param mayWant whether functions of a module of a path can be selected
   */
  UntracedModules(TargetClock clock, Predicate<String> mayWant, Listener listener) {
    this.clock = clock;
    this.beganNanos = System.nanoTime();
    this.beganTicks = clock.now().ticks();
    this.lookNanos = beganNanos;
    this.mayWant = mayWant;
    this.listener = listener;
  }

  /** Notes that all notifications up to now are answered. */
  void looked() {
    lookNanos = System.nanoTime();
  }

  /** Returns the ticks of when that was noted last: reading the target's clock each time costs. */
  long lastLook() {
    long nanos = System.nanoTime();
    long ticks = clock.now().ticks();
    double rate = (ticks - beganTicks) / (double) Math.max(1, nanos - beganNanos);
    return Math.max(beganTicks, ticks - Math.round((nanos - lookNanos) * rate));
  }

  /** Adds a module that is to be traced late. */
  void late(long base, @Nullable String path, long ticks, String why) {
    late.put(base, new Since(path, ticks, why));
  }

  boolean isAnyLate() {
    return !late.isEmpty();
  }

  /** Returns the addresses of the modules that are to be traced late. */
  List<Long> late() {
    return List.copyOf(late.keySet());
  }

  /** Returns since when a module is missed that is to be traced late; null: it is not any more. */
  @Nullable Since since(long base) {
    return late.get(base);
  }

  /** Removes a module that is to be traced late. */
  void forget(long base) {
    late.remove(base);
  }

  /** Reports that a module is traced from now on, and was not since a moment. */
  void traced(String path, long from, String why) {
    listener.untraced(path, from, clock.now().ticks(), why);
  }

  /** Adds a module that cannot be traced. */
  void refuse(long base, String path, long ticks, String why) {
    refused.put(base, new Since(path, ticks, why));
    listener.untraced(path, ticks, 0, why);
  }

  /**
   * Reports a module that was unloaded.
   *
   * @param ticks when; 0 if unknown
   */
  void goes(long base, long ticks) {
    long end = ticks == 0 ? clock.now().ticks() : ticks;
    Since unseen = late.remove(base);
    if (unseen != null) {
      report(base, unseen, end, unseen.why + ", and it was unloaded soon");
    }
    Since since = refused.remove(base);
    if (since != null && since.path != null) {
      listener.untraced(since.path, since.ticks, end, since.why);
    }
  }

  /** Reports those that nobody will trace any more. */
  void giveUp() {
    late.forEach((base, its) -> report(base, its, 0, its.why));
    late.clear();
  }

  /** Reports a module if it may be one that was selected. */
  private void report(long base, Since its, long to, String why) {
    if (its.path == null || mayWant.test(its.path)) {
      String path = its.path == null ? "0x" + Long.toHexString(base) : its.path;
      listener.untraced(path, its.ticks, to, why);
    }
  }
}
