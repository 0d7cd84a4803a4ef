package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.unwind.UnwindInfo.Epilog;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Parses an {@link UnwindInfo}; keeps what was read up to damage. */
final class UnwindInfoReader {
  private static final int HEADER = 4;

  private final ImageView view;
  private final long rva;
  private final List<UnwindCode> codes = new ArrayList<>();
  private final List<Epilog> epilogs = new ArrayList<>();
  private int version;
  private int flags;
  private int prologSize;
  private int codeCount;
  private int payloadWords;
  private int frameRegister;
  private int frameOffset;
  private long handler;
  private long handlerData;
  private @Nullable RuntimeFunction chained;
  private int length;
  private @Nullable String damage;

  UnwindInfoReader(ImageView view, long rva) {
    this.view = view;
    this.rva = rva;
  }

  UnwindInfo read() {
    try {
      header();
    } catch (DamagedInput e) {
      damaged(e.what());
    }
    return new UnwindInfo(
        rva,
        version,
        flags,
        prologSize,
        codeCount,
        payloadWords,
        frameRegister,
        frameOffset,
        List.copyOf(codes),
        List.copyOf(epilogs),
        handler,
        handlerData,
        Optional.ofNullable(chained),
        length,
        Optional.ofNullable(damage));
  }

  /** Returns the placeholder of unwind information that cannot be reached. */
  static UnwindInfo refused(long rva, String why) {
    return new UnwindInfo(
        rva,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        List.of(),
        List.of(),
        0,
        0,
        Optional.empty(),
        0,
        Optional.of(why));
  }

  /** Keeps the first reason. */
  private void damaged(String why) {
    if (damage == null) {
      damage = why;
    }
  }

  private void header() {
    int first = view.u8(rva);
    version = first & 7;
    flags = first >> 3;
    prologSize = view.u8(rva + 1);
    int third = view.u8(rva + 2);
    int fourth = view.u8(rva + 3);
    length = HEADER;
    switch (version) {
      case 1, 2 -> {
        codeCount = third;
        frameRegister = fourth & 0xF;
        frameOffset = fourth >> 4 << 4;
        slots();
        tail(HEADER + 2 * (codeCount + 1 & ~1));
      }
      case 3 -> {
        codeCount = fourth & 0x1F;
        payloadWords = third;
        payload(2 * third, fourth >> 5);
        tail(HEADER + 2 * third + 3 & ~3);
      }
      default -> damaged("unknown version " + version);
    }
  }

  private void slots() {
    if (codeCount == 0) {
      return;
    }
    Bytes slots = view.bytes(rva + HEADER, 2 * codeCount);
    int slot = version == 2 ? epilogSlots(slots) : 0;
    while (slot < codeCount) {
      UnwindCode code;
      try {
        code = UnwindCode.ofSlot(slots, slot, version, frameRegister, frameOffset);
      } catch (DamagedInput e) {
        damaged("its codes end inside the one in slot " + slot);
        return;
      }
      codes.add(code);
      if (code.operation() == UnwindOperation.UNKNOWN) {
        damaged("the code in slot " + slot + " has an unknown operation");
        return;
      }
      if (code.operation() == UnwindOperation.UWOP_EPILOG) {
        damaged("the code in slot " + slot + " is an epilog code after prolog codes");
        return;
      }
      slot += code.slots();
    }
  }

  /**
   * Reads the codes of version 2 that locate epilogues: the first one has their size and whether
   * one is at the end, each further one the distance of another from the end; 0 fills the last pair
   * up.
   *
   * @return the slot after them
   */
  private int epilogSlots(Bytes slots) {
    int slot = 0;
    int size = 0;
    while (slot < codeCount && (slots.u8(2 * slot + 1) & 0xF) == 6) {
      int offset = slots.u8(2 * slot);
      int info = slots.u8(2 * slot + 1) >> 4;
      int value = slot == 0 ? offset : offset | info << 8;
      codes.add(new UnwindCode(slot, offset, UnwindOperation.UWOP_EPILOG, info, -1, -1, value));
      if (slot == 0) {
        size = offset;
        if ((info & 1) != 0 && size != 0) {
          epilogs.add(new Epilog(-size, size, 0, 0, false, 0, List.of()));
        }
      } else if (value != 0) {
        epilogs.add(new Epilog(-value, size, 0, value, false, 0, List.of()));
      }
      slot++;
    }
    if ((slot & 1) != 0) {
      // The system passes over them in pairs, so it takes a code of the prologue for half of one.
      damaged("odd number of epilog codes");
    }
    return slot;
  }

  /** An epilogue of version 3 whose codes are not read yet. */
  private record Descriptor(int flags, int stored, int firstOp, int last, List<Integer> offsets) {}

  private void payload(int bytes, int epilogCount) {
    Bytes payload = view.bytes(rva + HEADER, bytes);
    boolean large = (flags & UnwindInfo.LARGE) != 0;
    int at = 0;
    if (large) {
      prologSize |= payload.u8(at++) << 8;
    }
    List<Integer> offsets = new ArrayList<>();
    for (int i = 0; i < codeCount; i++) {
      offsets.add(large ? payload.u16(at) : payload.u8(at));
      at += large ? 2 : 1;
    }
    List<Descriptor> descriptors = new ArrayList<>();
    for (int i = 0; i < epilogCount; i++) {
      int first = payload.u8(at);
      int operations = first >> 3;
      boolean wide = (first & 2) != 0;
      int stored = (short) payload.u16(at + 1);
      at += 3;
      int firstOp = 0;
      int last = 0;
      List<Integer> places = new ArrayList<>();
      if (operations > 0) {
        firstOp = payload.u16(at);
        last = wide ? payload.u16(at + 2) : payload.u8(at + 2);
        at += wide ? 4 : 3;
        for (int k = 0; k < operations; k++) {
          places.add(wide ? payload.u16(at) : payload.u8(at));
          at += wide ? 2 : 1;
        }
      }
      descriptors.add(new Descriptor(first & 7, stored, firstOp, last, places));
    }
    Bytes pool = payload.slice(at, payload.length() - at);
    poolCodes(pool, 0, offsets, codes);
    for (UnwindCode code : codes) {
      if (code.operation() == UnwindOperation.WOD_SET_FPREG) {
        frameRegister = code.register();
        frameOffset = (int) code.value();
      }
    }
    epilogs(pool, descriptors);
  }

  private void poolCodes(Bytes pool, int first, List<Integer> offsets, List<UnwindCode> to) {
    int at = first;
    for (int offset : offsets) {
      UnwindCode code;
      try {
        code = UnwindCode.ofPool(pool, at, offset);
      } catch (DamagedInput e) {
        damaged("the pool of its codes ends inside the one at byte " + at);
        return;
      }
      to.add(code);
      if (code.operation() == UnwindOperation.UNKNOWN) {
        damaged("the code at byte " + at + " of the pool is unknown");
        return;
      }
      at += code.operation().length();
    }
  }

  /**
   * Locates the epilogues: the first one counts from the start of the code or, below 0, from its
   * end; each further one from the previous one. One without codes repeats the last one with codes.
   */
  private void epilogs(Bytes pool, List<Descriptor> descriptors) {
    int start = 0;
    Descriptor told = null;
    List<UnwindCode> does = List.of();
    for (Descriptor descriptor : descriptors) {
      start += descriptor.stored;
      boolean inherited = descriptor.offsets.isEmpty();
      if (!inherited) {
        told = descriptor;
        does = new ArrayList<>();
        poolCodes(pool, descriptor.firstOp, descriptor.offsets, does);
      }
      epilogs.add(
          new Epilog(
              start,
              told == null ? 0 : told.last,
              descriptor.flags,
              descriptor.stored,
              inherited,
              told == null ? 0 : told.firstOp,
              List.copyOf(does)));
    }
  }

  private void tail(int at) {
    if ((flags & UnwindInfo.CHAININFO) != 0) {
      chained = RuntimeFunction.read(view, rva + at);
      length = at + RuntimeFunction.SIZE;
    } else if ((flags & (UnwindInfo.EHANDLER | UnwindInfo.UHANDLER)) != 0) {
      handler = view.u32(rva + at);
      handlerData = rva + at + 4;
      length = at + 4;
    } else {
      length = at;
    }
  }
}
