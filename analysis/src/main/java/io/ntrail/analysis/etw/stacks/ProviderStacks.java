package io.ntrail.analysis.etw.stacks;

import io.ntrail.analysis.naming.StackAddresses;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;

/**
 * Stacks that events of providers bring along: in their extended items, or as events of the CLR.
 */
public final class ProviderStacks {
  private static final Guid RUNTIME = Guid.parse("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
  private static final Guid RUNDOWN = Guid.parse("a669021c-c450-4609-a035-5af59af4df18");
  private static final Guid PRIVATE = Guid.parse("763fd754-7086-4dfe-95eb-c01a46faf4ca");
  private static final int CLR_STACK = 82;
  private static final int CLR_FRAMES = 8;

  private final StackRecords stacks;
  private long matchId;

  /** The recording's definitions of stack keys, which events may refer to. */
  public ProviderStacks(StackRecords stacks) {
    this.stacks = stacks;
  }

  /**
   * Appends the frames of the stack that an event brings in its extended items.
   *
   * @param key time of the event, see {@link io.ntrail.analysis.etw.recording.EtwRecording#key}
   * @return whether it brings any, or what may be half of a stack
   */
  public boolean copy(RecordCursor record, long key, StackAddresses into) {
    matchId = 0;
    if (!record.hasExtendedItems()) {
      return false;
    }
    int before = into.count();
    Bytes bytes = record.bytes();
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      int type = record.itemType(item);
      int length = record.itemLength(item);
      int at = record.itemData(item);
      if (length < 8) {
        continue;
      }
      if (type == ExtendedItem.STACK_TRACE32.number()) {
        into.add(bytes, at + 8, (length - 8) / 4, 4);
      } else if (type == ExtendedItem.STACK_TRACE64.number()) {
        into.add(bytes, at + 8, (length - 8) / 8, 8);
      } else if (type == ExtendedItem.STACK_KEY32.number() && length >= 12) {
        define(bytes.u32(at + 8), key, into);
      } else if (type == ExtendedItem.STACK_KEY64.number() && length >= 16) {
        define(bytes.i64(at + 8), key, into);
      } else {
        continue;
      }
      matchId = bytes.i64(at);
    }
    return into.count() > before || matchId != 0;
  }

  private void define(long stackKey, long key, StackAddresses into) {
    long defined = stacks.keys().find(stackKey, key);
    if (defined >= 0) {
      stacks.keys().copy((int) (defined >>> 32), into);
    }
  }

  /** Returns the id that the two halves of the last stack share; 0 if it came whole. */
  public long matchId() {
    return matchId;
  }

  /**
   * Returns the id that the stack of an event shares with that of another event of its thread; 0 if
   * it brings none, or a whole one.
   */
  public static long matchIdOf(RecordCursor record) {
    long match = 0;
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      if (isStack(record.itemType(item)) && record.itemLength(item) >= 8) {
        match = record.bytes().i64(record.itemData(item));
      }
    }
    return match;
  }

  /** Returns true if an event brings frames, the key of some, or half of a stack. */
  static boolean brings(RecordCursor record) {
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      int type = record.itemType(item);
      int length = record.itemLength(item);
      if (!isStack(type) || length < 8) {
        continue;
      }
      boolean wide =
          type == ExtendedItem.STACK_TRACE64.number() || type == ExtendedItem.STACK_KEY64.number();
      if (length >= (wide ? 16 : 12) || record.bytes().i64(record.itemData(item)) != 0) {
        return true;
      }
    }
    return false;
  }

  private static boolean isStack(int itemType) {
    return itemType == ExtendedItem.STACK_TRACE32.number()
        || itemType == ExtendedItem.STACK_TRACE64.number()
        || itemType == ExtendedItem.STACK_KEY32.number()
        || itemType == ExtendedItem.STACK_KEY64.number();
  }

  /**
   * Returns true if a record is an event of a .NET runtime that may have its stack in the next
   * event.
   */
  public static boolean isClr(RecordCursor record) {
    long low = record.providerLow();
    boolean mayBe = low == RUNTIME.low() || low == RUNDOWN.low() || low == PRIVATE.low();
    return mayBe && (is(record, RUNTIME) || is(record, RUNDOWN) || is(record, PRIVATE));
  }

  /**
   * Returns true for an event of a provider without a stack, which is not of the CLR either, whose
   * events may have one in another event.
   */
  public static boolean isOfNoStack(RecordCursor record) {
    return !record.hasExtendedItems() && !isClr(record);
  }

  /** Returns true if a record is the stack of the event before it on its thread. */
  public static boolean isClrStack(RecordCursor record) {
    int id = record.id();
    return id == CLR_STACK && (is(record, RUNTIME) || is(record, PRIVATE))
        || id == 0 && is(record, RUNDOWN);
  }

  private static boolean is(RecordCursor record, Guid provider) {
    return record.providerLow() == provider.low() && record.providerHigh() == provider.high();
  }

  /** Returns the number of frames of the CLR's stack event. */
  static int clrFrames(RecordCursor record) {
    int at = record.payloadOffset();
    int length = record.payloadLength();
    if (length < CLR_FRAMES) {
      return 0;
    }
    long told = record.bytes().u32(at + 4);
    return (int) Math.min(told, (length - CLR_FRAMES) / record.pointerBytes());
  }

  /** Appends the frames of the CLR's stack event: u16 instance, u8, u8, u32 count, pointers. */
  public static void copyClr(RecordCursor record, StackAddresses into) {
    int at = record.payloadOffset() + CLR_FRAMES;
    into.add(record.bytes(), at, clrFrames(record), record.pointerBytes());
  }
}
