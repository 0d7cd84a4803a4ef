package io.ntrail.analysis.etw.weights;

import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileDiagnostics;
import io.ntrail.analysis.profile.WeightUnit;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.KernelEvent;
import io.ntrail.formats.etl.KernelFieldOffsets.Heap;
import io.ntrail.formats.etl.KernelFieldOffsets.Pool;
import io.ntrail.formats.etl.KernelFieldOffsets.VirtualAlloc;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Allocations of one of the kinds that contain each other: see docs/profile.md. */
final class Allocations implements WeightVisitor {
  private static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final int TICK = 10;
  private static final int TICK_AMOUNT_64 = 10;

  private static final CountedEvents TICKS =
      new CountedEvents(CountedEvents.PROVIDER, Allocations::isTick);
  private static final CountedEvents COMMITS =
      new CountedEvents(KernelEvent.PAGEFAULT_VIRTUALALLOC, Allocations::isCommit);

  /** Kind of allocations; the most specific comes first. */
  private enum Kind {
    GC,
    HEAP,
    VIRTUAL,
    POOL;

    Variant variant() {
      String text = name().toLowerCase(Locale.ROOT);
      return new Variant(-1, text, text);
    }

    long events(MetricInventory inventory) {
      return switch (this) {
        case GC -> inventory.count(TICKS);
        case HEAP ->
            inventory.count(KernelEvent.HEAP_HEAPALLOC)
                + inventory.count(KernelEvent.HEAP_HEAPREALLOC);
        case VIRTUAL -> inventory.count(COMMITS);
        case POOL ->
            inventory.count(KernelEvent.POOL_POOLALLOCATION)
                + inventory.count(KernelEvent.POOL_SESSIONPOOLALLOCATION);
      };
    }
  }

  /** Source of weights: allocations. */
  static final WeightSource SOURCE =
      new WeightSource(
          Metric.of("alloc", "allocations", WeightUnit.BYTES, WeightUnit.COUNT)
              .withChoice(
                  "gc, heap, virtual or pool",
                  "allocations of the kind",
                  "other kinds of allocations")
              .recordedBy(
                  "wpr -start VirtualAllocation, or: xperf -on PROC_THREAD+LOADER+VIRT_ALLOC"
                      + " -stackwalk VirtualAlloc; heaps: wpr -start Heap;"
                      + " .NET: its provider, keyword GC")
              .with(Metric.Trait.OF_TYPES)) {
        @Override
        List<CountedEvents> counted() {
          return List.of(TICKS, COMMITS);
        }

        @Override
        public long events(MetricInventory inventory) {
          return Arrays.stream(Kind.values()).mapToLong(kind -> kind.events(inventory)).sum();
        }

        @Override
        public List<Variant> variants(MetricInventory inventory) {
          return Arrays.stream(Kind.values())
              .filter(kind -> kind.events(inventory) > 0)
              .map(Kind::variant)
              .toList();
        }

        @Override
        WeightVisitor start(
            Profiler.Request request, MetricInventory inventory, ProfileDiagnostics diagnostics) {
          String name = request.variant().name();
          return new Allocations(
              Kind.valueOf(name.toUpperCase(Locale.ROOT)), request.unit() == WeightUnit.BYTES);
        }
      };

  private final Kind kind;
  private final boolean bytes;

  /**
   * Creates a visitor.
   *
   * @param bytes whether to add bytes, or else to count
   */
  private Allocations(Kind kind, boolean bytes) {
    this.kind = kind;
    this.bytes = bytes;
  }

  /** Returns whether a record samples the allocations of the managed heap. */
  private static boolean isTick(RecordCursor record) {
    return record.id() == TICK
        && record.providerLow() == RUNTIME.low()
        && record.providerHigh() == RUNTIME.high();
  }

  /** Returns whether a VirtualAlloc gives memory; others only keep addresses free. */
  private static boolean isCommit(RecordCursor record) {
    int flagsAt = VirtualAlloc.flags(record.pointerBytes());
    return record.payloadLength() >= flagsAt + 4
        && (record.bytes().i32(record.payloadOffset() + flagsAt) & VirtualAlloc.MEM_COMMIT) != 0;
  }

  @Override
  public void visit(EventContext event) {
    RecordCursor record = event.record();
    Bytes payload = record.bytes();
    int at = record.payloadOffset();
    int length = record.payloadLength();
    int pointer = record.pointerBytes();
    switch (kind) {
      case GC -> {
        if (event.hook() < 0 && record.kind().isEvent() && isTick(record)) {
          if (length < 4) {
            event.tooShort();
            return;
          }
          // u32 amount, u32 kind, u16 CLR instance, then since version 2 u64 amount.
          boolean wide = record.version() >= 2 && length >= TICK_AMOUNT_64 + 8;
          long amount = wide ? payload.i64(at + TICK_AMOUNT_64) : payload.u32(at);
          if (event.passesEvent()) {
            event.giveWhole(bytes ? amount : 1);
          }
        }
      }
      case HEAP -> {
        if (event.hook() == KernelEvent.HEAP_HEAPALLOC) {
          give(event, Heap.size(pointer), length);
        } else if (event.hook() == KernelEvent.HEAP_HEAPREALLOC) {
          give(event, Heap.newSize(pointer), length);
        }
      }
      case VIRTUAL -> {
        if (event.hook() == KernelEvent.PAGEFAULT_VIRTUALALLOC) {
          if (length < VirtualAlloc.flags(pointer) + 4) {
            event.tooShort();
          } else if (isCommit(record)) {
            give(event, VirtualAlloc.regionSize(pointer), length);
          }
        }
      }
      case POOL -> {
        boolean pool =
            event.hook() == KernelEvent.POOL_POOLALLOCATION
                || event.hook() == KernelEvent.POOL_SESSIONPOOLALLOCATION;
        if (pool) {
          give(event, Pool.NUMBER_OF_BYTES, length);
        }
      }
    }
  }

  /** Adds an event that has its size, as wide as a pointer, at an offset of its payload. */
  private void give(EventContext event, int sizeAt, int length) {
    RecordCursor record = event.record();
    int pointer = record.pointerBytes();
    if (length < sizeAt + pointer) {
      event.tooShort();
    } else if (event.passesEvent()) {
      long size = record.bytes().pointer(record.payloadOffset() + sizeAt, pointer);
      event.ownStack();
      event.give(event.process(), event.thread(), bytes ? size : 1);
    }
  }
}
