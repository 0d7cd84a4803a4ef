package io.ntrail.formats.wprp;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Profile of WPR with all that it refers to, as far as a session can be started from it.
 *
 * @param id as in {@code Name.Verbose.File}
 * @param inMemory whether WPR keeps the recording in memory until it is stopped
 * @param system what the kernel logs; empty: nothing
 * @param providers of programs, of all collectors
 * @param heaps processes whose heaps are recorded; none in it: those that are set up for it; empty:
 *     no heaps
 * @param collectors number of collectors of providers
 * @param ignored what the profile has besides, in words
 */
public record RecordingProfile(
    String id,
    boolean inMemory,
    Optional<Kernel> system,
    List<Provider> providers,
    Optional<List<Integer>> heaps,
    int collectors,
    List<String> ignored) {
  /** Keeps the lists from changes. */
  public RecordingProfile {
    providers = List.copyOf(providers);
    heaps = heaps.map(List::copyOf);
    ignored = List.copyOf(ignored);
  }

  /**
   * Memory and file of a collector.
   *
   * @param kibibytes size of a buffer; 0: as WPR chooses
   * @param buffers number of them; 0: as WPR chooses
   * @param mebibytes MaximumFileSize; 0: none
   */
  public record Memory(int kibibytes, int buffers, int mebibytes) {}

  /**
   * Part of the kernel.
   *
   * @param memory of its collector
   * @param keywords names of groups, as WPR has them
   * @param stacks names of events, as WPR has them, or numbers
   * @param sampled counters that samples are taken by, with their intervals (0: as it is)
   * @param counters that are recorded with events
   * @param counterEvents the events that they are recorded with
   * @param branchEvents events with last branches
   * @param branchesLeftOut kinds of branches that are left out, as WPR has them
   * @param stackCache whether equal stacks are recorded once
   * @param poolTags tags of the pool allocations that are recorded; none: all
   * @param hasProcessorTrace whether Processor Trace is recorded with events
   */
  public record Kernel(
      Memory memory,
      List<String> keywords,
      List<String> stacks,
      Map<String, Integer> sampled,
      List<String> counters,
      List<String> counterEvents,
      List<String> branchEvents,
      List<String> branchesLeftOut,
      boolean stackCache,
      List<String> poolTags,
      boolean hasProcessorTrace) {
    /** Keeps the collections from changes. */
    public Kernel {
      keywords = List.copyOf(keywords);
      stacks = List.copyOf(stacks);
      sampled = Map.copyOf(sampled);
      counters = List.copyOf(counters);
      counterEvents = List.copyOf(counterEvents);
      branchEvents = List.copyOf(branchEvents);
      branchesLeftOut = List.copyOf(branchesLeftOut);
      poolTags = List.copyOf(poolTags);
    }
  }

  /**
   * Events by their ids.
   *
   * @param isChosen whether they are the ones that are recorded, or those that are not
   * @param ids of the events
   */
  public record Ids(boolean isChosen, List<Integer> ids) {
    /** Keeps the list from changes. */
    public Ids {
      ids = List.copyOf(ids);
    }
  }

  /**
   * Provider of a program.
   *
   * @param name or GUID; with a star in front, a name that its GUID follows from
   * @param level of detail; 0: all
   * @param keywords of which an event has to have one; 0: all
   * @param hasStacks whether stacks are recorded
   * @param events that are recorded; empty: all
   * @param stacks events with stacks; empty: all
   * @param state when it is asked for its state
   */
  public record Provider(
      String name,
      int level,
      long keywords,
      boolean hasStacks,
      Optional<Ids> events,
      Optional<Ids> stacks,
      State state) {}

  /**
   * Request for the state of a provider.
   *
   * @param isOnly whether it logs nothing else
   * @param atStart keywords with which it is asked when the recording begins
   * @param atSave keywords with which it is asked before the recording is saved
   */
  public record State(boolean isOnly, OptionalLong atStart, OptionalLong atSave) {
    /** It is not asked. */
    public static final State NONE = new State(false, OptionalLong.empty(), OptionalLong.empty());
  }
}
