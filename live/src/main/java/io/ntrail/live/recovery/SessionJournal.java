package io.ntrail.live.recovery;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.patch.PatchJumps;
import io.ntrail.live.patch.Patcher;
import io.ntrail.live.patch.TargetResources;
import io.ntrail.live.patch.TracingMemory.Block;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.live.windows.TargetMemory.Write;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Journal of a session in its target, at one of several addresses that every session knows: if the
 * controller dies, or something has to stay, the next session can clean up.
 */
public final class SessionJournal {
  /** Bytes from one place to the next. */
  private static final int PLACE_BYTES = 4 << 20;

  /** Addresses where programs of 64 bits have nothing. */
  private static final Places PLACES_64 = new Places(0x6E74_7261_0000L, 64);

  /**
   * Addresses of programs of 32 bits between those of programs and those of system libraries, in
   * the lower half, which all have. Their heaps may reach it, and then another place is taken.
   */
  private static final Places PLACES_32 = new Places(0x3E74_0000L, 16);

  /**
   * Places of journals.
   *
   * @param first address of the first one
   * @param count how many there are
   */
  private record Places(long first, int count) {
    static Places of(TargetProcess target) {
      return target.architecture().pointerSize() == Long.BYTES ? PLACES_64 : PLACES_32;
    }

    long at(int number) {
      return first + (long) number * PLACE_BYTES;
    }
  }

  /** "ntrail ledger 1" and a 0. */
  private static final long[] MAGIC = {0x6C20_6C69_6172_746EL, 0x0031_2072_6567_6465L};

  private static final int HEAD = 112;
  private static final int BLOCK = 24;
  private static final int HANDLE = 16;
  private static final int PATCH = 40;

  private final TargetMemory memory;
  private final long place;
  private final long agentCreated;
  private final int agent;
  private boolean isDescribed;

  private SessionJournal(
      TargetMemory memory, long place, int agent, long agentCreated, boolean isDescribed) {
    this.memory = memory;
    this.place = place;
    this.agent = agent;
    this.agentCreated = agentCreated;
    this.isDescribed = isDescribed;
  }

  /** Creates the journal of a session; nothing is written where no address is free. */
  public static SessionJournal of(TargetProcess target) {
    int agent = target.calls().agent().pid();
    long created =
        RunningProcess.all(target.calls()).stream()
            .filter(process -> process.pid() == agent)
            .mapToLong(RunningProcess::created)
            .findFirst()
            .orElse(0);
    Places places = Places.of(target);
    for (int i = 0; i < places.count; i++) {
      long place = places.at(i);
      if (target.memory().tryAllocate(place, PLACE_BYTES, TargetMemory.READ_WRITE)) {
        return new SessionJournal(target.memory(), place, agent, created, false);
      }
    }
    return new SessionJournal(target.memory(), 0, agent, created, false);
  }

  /**
   * Notes that unwinders in the target know the reserved addresses as frames of this session. A
   * later session cannot tell them otherwise, and must not have these addresses for its own frames:
   * if this one is not the one to end it, they stay reserved.
   */
  public void described() {
    isDescribed = true;
  }

  /**
   * Patch of a function, with the original bytes.
   *
   * @param function where it begins
   * @param jump where the long jump lies
   * @param original its first bytes, as many as {@code near} has
   * @param near their replacement
   * @param room what was in the place of the long jump
   * @param far the long jump
   */
  @SuppressWarnings("ArrayRecordComponent")
  public // never compared
  record Patch(long function, long jump, byte[] original, byte[] near, byte[] room, byte[] far) {
    public static Patch of(Patcher.Patched patched) {
      byte[] near = PatchJumps.near(patched);
      byte[] unit = patched.function().code().orElseThrow().unit();
      return new Patch(
          patched.function().code().orElseThrow().address(),
          PatchJumps.at(patched),
          Arrays.copyOf(unit, near.length),
          near,
          PatchJumps.room(patched.function()),
          PatchJumps.far(patched));
    }

    private void write(BytesBuilder out) {
      int begin = out.size();
      out.u64(function).u64(jump).u8(near.length).bytes(original).bytes(near);
      out.zeros(27 - (out.size() - begin)).bytes(room).bytes(far);
      out.zeros(PATCH - (out.size() - begin));
    }

    private static Patch read(Bytes bytes, int at) {
      int size = Math.clamp(bytes.u8(at + 16), 1, PatchJumps.BYTES);
      return new Patch(
          bytes.i64(at),
          bytes.i64(at + 8),
          bytes.array(at + 17, size),
          bytes.array(at + 17 + size, size),
          bytes.array(at + 27, PatchJumps.BYTES),
          bytes.array(at + 32, PatchJumps.BYTES));
    }
  }

  /**
   * Writes the journal.
   *
   * @param notices where the callback for modules lies; 0 if there is none
   * @param patches functions that are patched, or may be from now on
   */
  public void write(
      TargetResources resources,
      Collection<Block> blocks,
      long notices,
      Collection<Patch> patches) {
    BytesBuilder out = new BytesBuilder(1 << 12);
    out.u64(MAGIC[0]).u64(MAGIC[1]).u32(resources.slotIndex()).u32(resources.recordIndex());
    out.u64(resources.control());
    Block reservation = resources.reservation();
    out.u64(reservation.allocation()).u64(reservation.begin()).u64(reservation.size());
    out.u64(resources.unregisterRoutine()).u32(resources.areaBytes()).u32(blocks.size());
    out.u32(resources.handles().size())
        .u32(patches.size())
        .u64(notices)
        .u64(agentCreated)
        .u32(agent)
        .u32(isDescribed ? 1 : 0);
    out.zeros(HEAD - out.size());
    blocks.forEach(one -> out.u64(one.allocation()).u64(one.begin()).u64(one.size()));
    resources.handles().forEach((base, handle) -> out.u64(base).u64(handle));
    patches.forEach(patch -> patch.write(out));
    if (place != 0) {
      // Whoever dies in between leaves nothing that could be read wrongly.
      List<Write> writes = new ArrayList<>(List.of(new Write(place, new byte[8])));
      if (out.size() <= PLACE_BYTES) {
        byte[] bytes = out.toArray();
        writes.add(new Write(place + 8, Arrays.copyOfRange(bytes, 8, bytes.length)));
        writes.add(new Write(place, Arrays.copyOf(bytes, 8)));
      }
      memory.write(writes);
    }
  }

  /**
   * Frees memory. What stays is written to the journal first: a crash in between must not leave
   * memory in it that may be reused.
   *
   * @param free blocks that nothing refers to
   * @param kept all others
   * @param all whether nothing stays at all
   */
  void giveBack(
      TargetProcess target,
      TargetResources resources,
      List<Block> free,
      Collection<Block> kept,
      boolean all) {
    if (!all) {
      write(resources.without(free), kept, 0, List.of());
    } else if (place != 0) {
      memory.free(place);
    }
    resources.remove(target, free);
    if (all) {
      resources.removeAll(target);
    }
  }

  /** Journal of another session. */
  record Leftovers(
      SessionJournal journal,
      TargetResources resources,
      List<Block> blocks,
      long notices,
      List<Patch> patches) {
    /**
     * Returns all memory of the session. The rest of the reservation, after the known areas, counts
     * as needed by all of them.
     */
    List<Block> all() {
      List<Block> all = new ArrayList<>(blocks);
      all.add(resources.reservation());
      return all;
    }

    /** Returns whether it was written before its session ended. */
    boolean isAtWork() {
      return notices != 0 || !patches.isEmpty();
    }

    /** Returns whether nothing refers to any of the memory. */
    boolean isFree(Set<Block> referred) {
      return !journal.isDescribed && all().stream().noneMatch(referred::contains);
    }

    /** Returns the blocks that nothing refers to. */
    List<Block> free(Set<Block> referred) {
      return blocks.stream().filter(one -> !referred.contains(one)).toList();
    }

    /** Returns everything that can be freed. */
    List<Block> goes(Set<Block> referred) {
      List<Block> goes = new ArrayList<>(free(referred));
      if (isFree(referred)) {
        goes.add(resources.reservation());
      }
      return goes;
    }

    /** Returns the bases of the stacks that had areas. */
    List<Long> stacks(TargetProcess target) {
      int stackBase = target.architecture().areas().stackBase();
      int size = target.architecture().pointerSize();
      return blocks.stream()
          .filter(one -> one.allocation() == 0)
          .map(one -> target.memory().pointer(one.begin() + stackBase, size))
          .flatMap(base -> base.stream().boxed())
          .filter(base -> base != 0)
          .toList();
    }
  }

  /** Finds the journals of sessions that have ended; those whose agent lives are skipped. */
  static List<Leftovers> others(TargetProcess target) {
    List<Leftovers> found = new ArrayList<>();
    Places places = Places.of(target);
    for (int i = 0; i < places.count; i++) {
      long place = places.at(i);
      byte[] head = target.memory().readUpTo(place, HEAD);
      if (head.length == HEAD) {
        read(target.memory(), place, Bytes.copyOf(head, "journal")).ifPresent(found::add);
      }
    }
    if (!found.isEmpty()) {
      List<RunningProcess> all = RunningProcess.all(target.calls());
      found.removeIf(one ->
          all.stream()
              .anyMatch(process ->
                  one.isAtWork()
                      && process.pid() == one.journal.agent
                      // When it began may not have been known.
                      && (one.journal.agentCreated == 0
                          || process.created() == one.journal.agentCreated)));
    }
    return found;
  }

  /**
   * Memory of a session that frames of threads may refer to.
   *
   * @param handles of its function tables, by the address that those begin with
   * @param areas first addresses of its areas, and of blocks that are none
   */
  public record SessionFrames(Map<Long, Long> handles, List<Long> areas) {
    /** Copies both. */
    public SessionFrames {
      handles = Map.copyOf(handles);
      areas = List.copyOf(areas);
    }
  }

  /** Finds what all sessions, active ones and others, have in a process; nothing is changed. */
  public static List<SessionFrames> frames(TargetProcess target) {
    List<SessionFrames> found = new ArrayList<>();
    Places places = Places.of(target);
    long end = places.at(places.count);
    for (long at = places.first; at < end; ) {
      Optional<TargetMemory.Region> region = target.memory().region(at);
      if (region.filter(TargetMemory.Region::isReadable).isPresent()) {
        byte[] head = target.memory().readUpTo(at, HEAD);
        if (head.length == HEAD) {
          read(target.memory(), at, Bytes.copyOf(head, "journal"))
              .map(one ->
                  new SessionFrames(
                      one.resources.handles(),
                      one.blocks.stream()
                          .filter(block -> block.allocation() == 0)
                          .map(Block::begin)
                          .toList()))
              .ifPresent(found::add);
        }
        at += PLACE_BYTES;
      } else {
        // To the place after what is free.
        long next = region.map(one -> one.base() + one.size()).orElse(end);
        at += Math.max(1, Math.ceilDiv(next - at, PLACE_BYTES)) * PLACE_BYTES;
      }
    }
    return found;
  }

  private static Optional<Leftovers> read(TargetMemory memory, long place, Bytes head) {
    long blocks = head.u32(68);
    long handles = head.u32(72);
    long patches = head.u32(76);
    long size = HEAD + BLOCK * blocks + HANDLE * handles + PATCH * patches;
    if (head.i64(0) != MAGIC[0] || head.i64(8) != MAGIC[1] || size > PLACE_BYTES) {
      return Optional.empty();
    }
    Bytes bytes = memory.read(place, (int) size);
    List<Block> blockList = new ArrayList<>();
    int at = HEAD;
    for (long i = 0; i < blocks; i++, at += BLOCK) {
      blockList.add(new Block(bytes.i64(at), bytes.i64(at + 8), bytes.i64(at + 16)));
    }
    Map<Long, Long> handleMap = new HashMap<>();
    for (long i = 0; i < handles; i++, at += HANDLE) {
      handleMap.put(bytes.i64(at), bytes.i64(at + 8));
    }
    List<Patch> patchList = new ArrayList<>();
    for (long i = 0; i < patches; i++, at += PATCH) {
      patchList.add(Patch.read(bytes, at));
    }
    TargetResources resources =
        new TargetResources(
            (int) bytes.u32(16),
            (int) bytes.u32(20),
            bytes.i64(24),
            new Block(bytes.i64(32), bytes.i64(40), bytes.i64(48)),
            (int) bytes.u32(64),
            bytes.i64(56),
            handleMap);
    SessionJournal journal =
        new SessionJournal(memory, place, (int) bytes.u32(96), bytes.i64(88), bytes.u32(100) != 0);
    return Optional.of(new Leftovers(journal, resources, blockList, bytes.i64(80), patchList));
  }
}
