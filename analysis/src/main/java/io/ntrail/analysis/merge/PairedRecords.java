package io.ntrail.analysis.merge;

import io.ntrail.analysis.etw.stacks.ProviderStacks;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelEvent.Group;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.KernelFieldOffsets.CSwitch;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskFlush;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskInit;
import io.ntrail.formats.etl.KernelFieldOffsets.DiskTransfer;
import io.ntrail.formats.etl.KernelFieldOffsets.FileOperation;
import io.ntrail.formats.etl.KernelFieldOffsets.ReadyThread;
import io.ntrail.formats.etl.KernelFieldOffsets.ThreadLife;
import io.ntrail.formats.etl.RecordCursor;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records that mean something only together: a context switch and the one that ends the wait which
 * it began, a request and its completion, an event of .NET and the event with its stack. Who keeps
 * one of them is told of the others. Records come in time order.
 */
final class PairedRecords {
  /** Requests, operations or events that wait for their other half at once, of each kind. */
  private static final int MOST = 1 << 18;

  private static final int TERMINATED = 4;

  /** Takes a record that has to be kept for another one. */
  @FunctionalInterface
  interface Keeper {
    /** Keeps the record. */
    void keep(Place place);
  }

  /**
   * Place of a record.
   *
   * @param file number of its file
   * @param buffer of the file
   * @param offset in the buffer, as a cursor gives it
   * @param key that orders records by time
   * @param isKept true if it was kept when it came
   */
  record Place(int file, int buffer, int offset, long key, boolean isKept) {}

  /** A thread that has left its CPU. */
  private static final class Away {
    final Place left;

    /** Context switch before it on its CPU. */
    final @Nullable Place before;

    @Nullable Place ready;

    Away(Place left, @Nullable Place before) {
      this.left = left;
      this.before = before;
    }
  }

  private record Half(int thread, long match) {}

  /** Map that forgets what it has had for longest when there is too much. */
  private static final class Waiting<K> extends LinkedHashMap<K, Place> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, Place> eldest) {
      return size() > MOST;
    }
  }

  private final KernelEvents kernel;
  private final Keeper keeper;

  /** Last context switch of each CPU of a file. */
  private final Map<Integer, Place> switches = new HashMap<>();

  private final Map<Integer, Away> away = new HashMap<>();
  private final Waiting<Long> requests = new Waiting<>();
  private final Waiting<Long> operations = new Waiting<>();
  private final Waiting<Integer> clrEvents = new Waiting<>();
  private final Waiting<Half> halves = new Waiting<>();

  PairedRecords(KernelEvents kernel, Keeper keeper) {
    this.kernel = kernel;
    this.keeper = keeper;
  }

  /** Goes to the next record in time order. */
  void visit(RecordCursor record, Place place) {
    if (record.kind().isHook()) {
      hook(record, record.hookId(), place);
      if (place.isKept) {
        // Records without ids belong to the thread that runs.
        keep(switches.get(slot(record, place)));
      }
    } else if (record.kind().isEvent()) {
      event(record, place);
    } else if (record.kind().isClassic()) {
      int hook = kernel.hookId(record.provider(), record.opcode());
      if (hook >= 0) {
        hook(record, hook, place);
      }
    }
  }

  /** Keeps what has begun and not ended yet: at the end of a time range it still is so. */
  void settle() {
    away.values().forEach(this::keep);
    operations.values().forEach(this::keep);
  }

  private void keep(Away left) {
    keep(left.left);
    keep(left.before);
    keep(left.ready);
  }

  private void keep(@Nullable Place place) {
    if (place != null && !place.isKept) {
      keeper.keep(place);
    }
  }

  private static int slot(RecordCursor record, Place place) {
    return place.file << 16 | record.cpu();
  }

  private void hook(RecordCursor record, int hook, Place place) {
    switch (hook) {
      case KernelEvent.THREAD_CSWITCH -> contextSwitch(record, place);
      case KernelEvent.THREAD_READYTHREAD -> ready(record, place);
      case KernelEvent.THREAD_START, KernelEvent.THREAD_END -> {
        int at = ThreadLife.threadId(record.version());
        if (record.payloadLength() >= at + 4) {
          away.remove(record.bytes().i32(record.payloadOffset() + at));
        }
      }
      default -> {
        switch (KernelEvent.group(hook)) {
          case Group.DISKIO -> disk(record, hook, place);
          case Group.FILEIO -> file(record, hook, place);
          default -> {
            // Means something alone.
          }
        }
      }
    }
  }

  private void contextSwitch(RecordCursor record, Place place) {
    int length = record.payloadLength();
    if (length < CSwitch.OLD_THREAD_ID + 4) {
      return;
    }
    Place before = switches.put(slot(record, place), place);
    if (place.isKept) {
      keep(before);
    }
    Bytes bytes = record.bytes();
    int at = record.payloadOffset();
    int out = bytes.i32(at + CSwitch.OLD_THREAD_ID);
    int in = bytes.i32(at + CSwitch.NEW_THREAD_ID);
    if (length > CSwitch.OLD_THREAD_STATE && out != 0) {
      if (bytes.u8(at + CSwitch.OLD_THREAD_STATE) == TERMINATED) {
        away.remove(out);
      } else {
        away.put(out, new Away(place, before));
      }
    }
    Away left = in == 0 ? null : away.remove(in);
    if (left == null) {
      return;
    }
    if (place.isKept) {
      keep(left);
    } else if (left.left.isKept) {
      // The wait began in what is kept: its end belongs to it.
      keep(place);
    }
  }

  private void ready(RecordCursor record, Place place) {
    if (record.payloadLength() < ReadyThread.THREAD_ID + 4) {
      return;
    }
    Away left = away.get(record.bytes().i32(record.payloadOffset() + ReadyThread.THREAD_ID));
    if (left != null && left.ready == null) {
      left.ready = place;
      if (left.left.isKept) {
        keep(place);
      }
    }
  }

  private void disk(RecordCursor record, int hook, Place place) {
    int pointer = record.pointerBytes();
    if (KernelEvent.isDiskRequest(hook)) {
      if (record.payloadLength() >= pointer) {
        requests.put(irp(record, DiskInit.IRP), place);
      }
      return;
    }
    int at =
        switch (hook) {
          case KernelEvent.DISKIO_FLUSHBUFFERS, KernelEvent.DISKIO_OPTICALFLUSHBUFFERS ->
              DiskFlush.IRP;
          default -> record.version() >= 2 ? DiskTransfer.irp(pointer) : Integer.MAX_VALUE - 8;
        };
    if (record.payloadLength() >= at + pointer) {
      join(requests.remove(irp(record, at)), place);
    }
  }

  private static long irp(RecordCursor record, int at) {
    return record.bytes().pointer(record.payloadOffset() + at, record.pointerBytes());
  }

  private void file(RecordCursor record, int hook, Place place) {
    FileOperation operation = FileOperation.of(hook);
    int pointer = record.pointerBytes();
    if (operation != null) {
      if (record.payloadLength() >= operation.irp() + pointer) {
        operations.put(irp(record, operation.irp()), place);
      }
    } else if (hook == KernelEvent.FILEIO_OPERATIONEND && record.payloadLength() >= pointer) {
      join(operations.remove(irp(record, FileOperation.END_IRP)), place);
    }
  }

  /** Keeps both of two records if one of them is kept. */
  private void join(@Nullable Place first, Place second) {
    if (first == null) {
      return;
    }
    if (second.isKept) {
      keep(first);
    } else if (first.isKept) {
      keep(second);
    }
  }

  /** Events whose stack, or the other half of it, comes with a later event. */
  private void event(RecordCursor record, Place place) {
    boolean isClr = ProviderStacks.isClr(record);
    boolean hasStack = record.hasExtendedItems() && record.hasStackItem();
    if (!isClr && !hasStack) {
      return;
    }
    int thread = record.threadId();
    long match = hasStack ? ProviderStacks.matchIdOf(record) : 0;
    if (match != 0) {
      Half half = new Half(thread, match);
      Place first = halves.remove(half);
      if (first == null) {
        halves.put(half, place);
      } else {
        join(first, place);
      }
    }
    if (ProviderStacks.isClrStack(record)) {
      join(clrEvents.remove(thread), place);
    } else if (isClr) {
      clrEvents.remove(thread);
      clrEvents.put(thread, place);
    }
  }
}
