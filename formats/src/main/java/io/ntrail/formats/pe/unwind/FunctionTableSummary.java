package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.collections.LongLongMap;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import java.util.Optional;

/**
 * Numbers of the entries of a function table, by what their unwind information says.
 *
 * @param entries all
 * @param chained those whose unwind information continues that of another one
 * @param handled those whose unwind information names a language handler
 * @param damaged those of which anything cannot be right: their range, their unwind information, or
 *     what that continues
 */
public record FunctionTableSummary(long entries, long chained, long handled, long damaged) {
  /**
   * Reads the unwind information of all entries of a table. What is damaged becomes gaps of the
   * image: the unwind information where it is stored, else the entry that leads to it. Neighbouring
   * entries with the same fault are one gap.
   */
  public static FunctionTableSummary of(PeImage image, FunctionTable table) {
    return new Reader(image, table).read();
  }

  /** Damage of an entry itself, in the order in which one is told before the other. */
  private enum Fault {
    REVERSED("the range of code ends before it begins"),
    OUTSIDE("the range is not in the code of the image"),
    UNREACHABLE("the image has no unwind information where it should be"),
    ENDLESS("the chain of its unwind information does not end"),
    ORPHAN("it continues a function that the table does not have");

    private final String why;

    Fault(String why) {
      this.why = why;
    }
  }

  /**
   * Content of the unwind information at an RVA, and of what it is chained to.
   *
   * @param fault of every entry that refers to it
   */
  private record Target(boolean chained, boolean handled, boolean damaged, Optional<Fault> fault) {
    private static final int SEEN = 1;
    private static final int CHAINED = 2;
    private static final int HANDLED = 4;
    private static final int DAMAGED = 8;
    private static final int FAULTS = 4;

    long packed() {
      return SEEN
          | (chained ? CHAINED : 0)
          | (handled ? HANDLED : 0)
          | (damaged ? DAMAGED : 0)
          | fault.map(f -> f.ordinal() + 1).orElse(0) << FAULTS;
    }

    static Target of(long packed) {
      int fault = (int) (packed >> FAULTS);
      return new Target(
          (packed & CHAINED) != 0,
          (packed & HANDLED) != 0,
          (packed & DAMAGED) != 0,
          fault == 0 ? Optional.empty() : Optional.of(Fault.values()[fault - 1]));
    }
  }

  private static final class Reader {
    private final PeImage image;
    private final ImageView view;
    private final FunctionTable table;
    private final LongLongMap known = new LongLongMap();
    private long chained;
    private long handled;
    private long damaged;

    /** The first of neighbouring entries with the same fault; {@code run} is their number. */
    private RuntimeFunction first = RuntimeFunction.of(0, 0, 0, 0);

    private Optional<Fault> shared = Optional.empty();
    private long run;

    Reader(PeImage image, FunctionTable table) {
      this.image = image;
      this.view = image.view();
      this.table = table;
    }

    FunctionTableSummary read() {
      for (RuntimeFunction entry : table.entries()) {
        Target target = target(entry);
        Optional<Fault> fault = range(entry).or(target::fault);
        chained += target.chained ? 1 : 0;
        handled += target.handled ? 1 : 0;
        damaged += target.damaged || fault.isPresent() ? 1 : 0;
        if (fault.isPresent()) {
          fault(entry, fault.get());
        }
      }
      close();
      return new FunctionTableSummary(table.entries().size(), chained, handled, damaged);
    }

    private Optional<Fault> range(RuntimeFunction entry) {
      if (entry.end() < entry.begin()) {
        return Optional.of(Fault.REVERSED);
      }
      // Compilers do leave ranges without any code behind.
      boolean inside =
          entry.end() <= image.headers().sizeOfImage()
              && (entry.size() == 0 || image.isExecutable(entry.begin()));
      return inside ? Optional.empty() : Optional.of(Fault.OUTSIDE);
    }

    /** Several entries may share their unwind information, which is looked at once. */
    private Target target(RuntimeFunction entry) {
      if (entry.indirect()) {
        return read(entry);
      }
      long packed = known.get(entry.unwindInfo());
      if (packed != 0) {
        return Target.of(packed);
      }
      Target target = read(entry);
      known.put(entry.unwindInfo(), target.packed());
      return target;
    }

    private Target read(RuntimeFunction entry) {
      UnwindChain chain = table.chain(entry);
      Optional<Fault> fault = Optional.empty();
      for (UnwindChain.Link link : chain.links()) {
        UnwindInfo info = link.info();
        if (info.damage().isEmpty()) {
          continue;
        }
        if (info.length() > 0 && view.offset(info.rva()) >= 0) {
          image.gap(
              info.rva(),
              info.length(),
              "unwind information",
              "of the function at 0x"
                  + Long.toHexString(link.function().begin())
                  + ": "
                  + info.damage().get());
        } else if (chain.depth() == 0) {
          fault = Optional.of(Fault.UNREACHABLE);
        } else {
          image.gap(
              link.function().rva(),
              RuntimeFunction.SIZE,
              "chained entry",
              "of the function at 0x"
                  + Long.toHexString(entry.begin())
                  + ": "
                  + info.damage().get());
        }
      }
      if (chain.excess().isPresent()) {
        fault = Optional.of(Fault.ENDLESS);
      } else if (chain.damage().isEmpty() && chain.depth() > 0 && !hasStart(chain.primary())) {
        fault = Optional.of(Fault.ORPHAN);
      }
      return new Target(
          chain.depth() > 0, chain.info().hasHandler(), chain.damage().isPresent(), fault);
    }

    private boolean hasStart(RuntimeFunction primary) {
      return table
          .entry(primary.begin())
          .filter(entry -> entry.begin() == primary.begin())
          .filter(entry -> table.primary(entry).begin() == primary.begin())
          .isPresent();
    }

    private void fault(RuntimeFunction entry, Fault fault) {
      boolean continues =
          shared.filter(fault::equals).isPresent()
              && entry.rva() == first.rva() + run * RuntimeFunction.SIZE;
      if (!continues) {
        close();
        first = entry;
        shared = Optional.of(fault);
      }
      run++;
    }

    private void close() {
      shared.ifPresent(fault ->
          image.gap(
              first.rva(),
              run * RuntimeFunction.SIZE,
              FunctionTable.WHAT,
              "the entry of 0x"
                  + Long.toHexString(first.begin())
                  + (run == 1 ? "" : " and " + (run - 1) + " after it")
                  + ": "
                  + fault.why));
      shared = Optional.empty();
      run = 0;
    }
  }
}
