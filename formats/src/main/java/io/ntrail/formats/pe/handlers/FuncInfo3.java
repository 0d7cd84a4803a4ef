package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * FuncInfo, read by {@code __CxxFrameHandler3} and its predecessors. A function and the funclets of
 * its {@code catch} blocks share one.
 *
 * <p>It has a magic number, then count and place of the unwind map, the {@code try} map and the map
 * from addresses to states; for 64 bits an offset in the frame; from magic 19930521h on the place
 * of a list of exception specifications, from 19930522h on flags. Places are RVAs, in images for
 * x86 addresses, whose map from addresses to states is not used: there the function keeps its state
 * in its frame.
 *
 * @param rva its RVA
 * @param magic 19930520h to 19930522h: its low 29 bits
 * @param optimized the high three bits of the magic: whether its blocks were moved about
 * @param steps the unwind map
 * @param ipStates the map from addresses to states, ascending
 * @param unwindHelp for 64 bits: where in the frame the state is kept while unwinding
 * @param exceptionSpecifications RVA of the list, or 0
 * @param flags 1 only C++ exceptions (/EHs), 2 the stack is aligned, 4 noexcept
 * @param damage why not all of it could be read
 */
public record FuncInfo3(
    long rva,
    int magic,
    int optimized,
    List<Step> steps,
    List<Try> tries,
    List<IpState> ipStates,
    int unwindHelp,
    long exceptionSpecifications,
    int flags,
    Optional<String> damage)
    implements CxxFunction {
  /** The first magic number. */
  public static final int MAGIC = 0x1993_0520;

  private static final int LAST_MAGIC = 0x1993_0522;
  private static final int MAGIC_BITS = 0x1FFF_FFFF;

  /** Only exceptions of C++ are caught (/EHs). */
  public static final int EHS = 1;

  /** An exception that leaves the function ends the program. */
  public static final int NOEXCEPT = 4;

  /** Returns true if there is one at an RVA, by its magic number. */
  public static boolean isAt(PeImage image, long rva) {
    return image.view().has(rva, 4) && isMagic(image.view().i32(rva));
  }

  private static boolean isMagic(int word) {
    int magic = word & MAGIC_BITS;
    return magic >= MAGIC && magic <= LAST_MAGIC;
  }

  /** Reads the FuncInfo at an RVA; never fails. */
  public static FuncInfo3 read(PeImage image, long rva) {
    return new Reader(image, rva).read();
  }

  @Override
  public boolean isNoexcept() {
    return (flags & NOEXCEPT) != 0;
  }

  @Override
  public int stateAt(long address) {
    return CxxFunction.state(ipStates, address);
  }

  /** Parses a FuncInfo; keeps what was read up to damage. */
  private static final class Reader {
    private final PeImage image;
    private final TypeDescriptorNames names;
    private final ImageView view;
    private final long rva;
    private final boolean absolute;
    private final List<Step> steps = new ArrayList<>();
    private final List<Try> tries = new ArrayList<>();
    private final List<IpState> ipStates = new ArrayList<>();
    private int catches;
    private int magic;
    private int unwindHelp;
    private long exceptionSpecifications;
    private int flags;
    private @Nullable String damage;

    Reader(PeImage image, long rva) {
      this.image = image;
      this.names = new TypeDescriptorNames(image);
      this.view = image.view();
      this.rva = rva;
      this.absolute = image.headers().machine() == MachineType.I386;
    }

    FuncInfo3 read() {
      try {
        header();
      } catch (DamagedInput e) {
        damaged(e.what());
      }
      return new FuncInfo3(
          rva,
          magic & MAGIC_BITS,
          magic >>> 29,
          List.copyOf(steps),
          List.copyOf(tries),
          List.copyOf(ipStates),
          unwindHelp,
          exceptionSpecifications,
          flags,
          Optional.ofNullable(damage));
    }

    private void damaged(String why) {
      if (damage == null) {
        damage = why;
      }
    }

    private void header() {
      magic = view.i32(rva);
      if (!isMagic(magic)) {
        damaged("it starts with " + Integer.toHexString(magic) + "h, not a magic number");
        magic = 0;
        return;
      }
      long states = view.u32(rva + 4);
      long stepsAt = place(rva + 8);
      long blocks = view.u32(rva + 12);
      long triesAt = place(rva + 16);
      long ips = view.u32(rva + 20);
      long ipsAt = place(rva + 24);
      long at = rva + 28;
      if (!absolute) {
        unwindHelp = view.i32(at);
        at += 4;
      }
      int version = magic & MAGIC_BITS;
      if (version > MAGIC) {
        exceptionSpecifications = place(at);
      }
      if (version == LAST_MAGIC) {
        flags = view.i32(at + 4);
      }
      table("unwind map", states, stepsAt, 8, this::step);
      table("try map", blocks, triesAt, 20, this::block);
      table("map of states", ips, ipsAt, 8, this::ipState);
    }

    /** An RVA, stored as an address in images for x86. */
    private long place(long at) {
      long stored = view.u32(at);
      return absolute ? image.rva(stored) : stored;
    }

    private interface Row {
      void read(long at);
    }

    private void table(String what, long stored, long at, int size, Row row) {
      long room = Math.min(MOST, view.available(at) / size);
      if (stored > room) {
        damaged("its " + what + " claims " + stored + " entries, but has room for only " + room);
      }
      try {
        for (long i = 0; i < Math.min(stored, room); i++) {
          row.read(at + i * size);
        }
      } catch (DamagedInput e) {
        damaged("its " + what + ": " + e.what());
      }
    }

    private void step(long at) {
      long handler = place(at + 4);
      steps.add(new Step(view.i32(at), handler == 0 ? Action.NONE : Action.CALL, handler, 0));
    }

    private void block(long at) {
      List<Catch> handlers = new ArrayList<>();
      long stored = view.u32(at + 12);
      // All blocks together, since a hostile image can give each the same long list.
      if (stored > MOST - catches) {
        damaged("its try blocks have more than " + MOST + " handlers");
      } else {
        catches += (int) stored;
        int size = absolute ? 16 : 20;
        table("list of handlers", stored, place(at + 16), size, h -> handlers.add(handler(h)));
      }
      tries.add(new Try(view.i32(at), view.i32(at + 4), view.i32(at + 8), List.copyOf(handlers)));
    }

    private Catch handler(long at) {
      long type = place(at + 4);
      return new Catch(
          view.i32(at),
          type,
          names.of(type),
          view.i32(at + 8),
          place(at + 12),
          absolute ? 0 : view.u32(at + 16),
          List.of());
    }

    private void ipState(long at) {
      ipStates.add(new IpState(place(at), view.i32(at + 4)));
    }
  }
}
