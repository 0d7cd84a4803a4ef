package io.ntrail.testkit.profile;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Code by process, address and time: images and methods of a runtime. */
final class LoadedCode {
  /**
   * Meaning of an address.
   *
   * @param module the file name, {@code (jitted)} or {@code (unknown)}
   * @param function module and range, or module and method, or {@code (unknown)}
   */
  record Place(String module, String function) {}

  private static final Place UNKNOWN = new Place("(unknown)", "(unknown)");

  /** Something that covers addresses, {@code from <= time < to}. */
  private static final class Cover {
    final long pid;
    final long base;
    final long size;
    final String name;
    final int from;
    int to;

    Cover(long pid, long base, long size, String name, int from, int to) {
      this.pid = pid;
      this.base = base;
      this.size = size;
      this.name = name;
      this.from = from;
      this.to = to;
    }

    boolean covers(long address, int ordinal) {
      return from <= ordinal && ordinal < to && Long.compareUnsigned(address - base, size) < 0;
    }

    boolean overlaps(Cover other) {
      return pid == other.pid
          && Long.compareUnsigned(base, other.base + other.size) < 0
          && Long.compareUnsigned(other.base, base + size) < 0;
    }
  }

  private final List<Cover> images = new ArrayList<>();
  private final List<Cover> methods = new ArrayList<>();
  private final ProcessLifetimes lives;
  private final int pointer;

  LoadedCode(ReferenceEtlReader file, ProcessLifetimes lives) {
    this.lives = lives;
    this.pointer = file.pointer;
    for (OrderedRecord rec : file.records) {
      switch (rec.hook) {
        case 0x030A, 0x1402, 0x1403, 0x1404 -> image(rec);
        default -> {
          if (OrderedRecord.CLR.equals(rec.provider)) {
            switch (rec.id) {
              case 143 -> method(rec, rec.ordinal);
              case 142, 144 -> unload(rec);
              default -> {}
            }
          } else if (OrderedRecord.CLR_RUNDOWN.equals(rec.provider)
              && (rec.id == 143 || rec.id == 144)) {
            LittleEndianReader in = rec.payload().skip(16);
            if (open(methods, rec.pid, in.u64(), rec.ordinal) == null) {
              method(rec, lives.begin(rec.pid, rec.ordinal));
            }
          }
        }
      }
    }
  }

  /** The one of this process and base that is there and was not unloaded; the latest of several. */
  private static @Nullable Cover open(List<Cover> all, long pid, long base, int ordinal) {
    Cover found = null;
    for (Cover cover : all) {
      if (cover.pid == pid && cover.base == base && cover.from <= ordinal && cover.to > ordinal) {
        found = cover;
      }
    }
    return found;
  }

  private int end(long pid, int ordinal) {
    int end = pid == 0 || pid == 4 ? ProcessLifetimes.END : lives.end(pid, ordinal);
    return end == ProcessLifetimes.END ? end : end + 1;
  }

  private void image(OrderedRecord rec) {
    LittleEndianReader in = rec.payload();
    long base = in.p();
    long size = rec.version == 0 ? in.u32() : in.p();
    long pid = rec.version == 0 ? rec.pid : in.u32();
    if (rec.version >= 2) {
      in.skip(12).p();
      in.skip(16);
    }
    String path = in.wide();
    String name = path.substring(Math.max(path.lastIndexOf('\\'), path.lastIndexOf('/')) + 1);
    Cover known = open(images, pid, base, rec.ordinal);
    if (rec.hook == 0x030A) {
      for (Cover other : images) {
        if (other.pid == pid && other.base == base && other.to > rec.ordinal) {
          other.to = rec.ordinal;
        }
      }
      int end = end(pid, rec.ordinal);
      images.add(new Cover(pid, base, size, name, rec.ordinal, end));
      return;
    }
    if (known == null || known.size != size || !known.name.equals(name)) {
      int end = end(pid, rec.ordinal);
      Cover told = new Cover(pid, base, size, name, lives.begin(pid, rec.ordinal), end);
      int from = told.from;
      for (Cover other : images) {
        if (other.overlaps(told) && other.to <= rec.ordinal) {
          from = Math.max(from, other.to);
        }
      }
      known = new Cover(pid, base, size, name, from, end);
      images.add(known);
    }
    if (rec.hook == 0x1402) {
      known.to = rec.ordinal;
    }
  }

  private void method(OrderedRecord rec, int from) {
    LittleEndianReader in = rec.payload().skip(16);
    long base = in.u64();
    long size = in.u32();
    in.skip(8);
    String name = in.wide() + "." + in.wide();
    int end = end(rec.pid, rec.ordinal);
    methods.add(new Cover(rec.pid, base, size, name, from, end));
  }

  private void unload(OrderedRecord rec) {
    Cover known = open(methods, rec.pid, rec.payload().skip(16).u64(), rec.ordinal);
    if (known != null) {
      known.to = rec.ordinal;
    }
  }

  boolean ofKernel(long address) {
    return pointer == 8 ? address < 0 : Long.compareUnsigned(address, 0x8000_0000L) >= 0;
  }

  /** Of all spellings of a name the first one. */
  private String spelled(String name) {
    String first = name;
    for (Cover cover : images) {
      if (cover.name.equalsIgnoreCase(name) && cover.name.compareTo(first) < 0) {
        first = cover.name;
      }
    }
    return first;
  }

  /** Returns the meaning of an address of a process at a time. */
  Place at(long pid, long address, int ordinal) {
    Cover image = null;
    Cover method = null;
    boolean kernel = ofKernel(address);
    for (Cover cover : images) {
      boolean listed = kernel ? cover.pid == 0 || cover.pid == 4 : cover.pid == pid;
      if (listed && cover.covers(address, ordinal)) {
        image = image == null || cover.from >= image.from ? cover : image;
      }
    }
    if (image != null) {
      long range = (address - image.base) & ~0xFFL;
      String module = spelled(image.name);
      return new Place(module, String.format(Locale.ROOT, "%s+0x%x", module, range));
    }
    for (Cover cover : methods) {
      if (!kernel && cover.pid == pid && cover.covers(address, ordinal)) {
        method = method == null || cover.from >= method.from ? cover : method;
      }
    }
    return method == null ? UNKNOWN : new Place("(jitted)", "(jitted)!" + method.name);
  }
}
