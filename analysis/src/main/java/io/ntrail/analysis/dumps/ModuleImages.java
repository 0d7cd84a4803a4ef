package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.dump.MemoryRanges;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.symbols.OpenImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Source of images: the images of modules come from; owns the files that were opened. */
final class ModuleImages implements AutoCloseable {
  /** Bytes in which headers are, their section table included. */
  private static final int HEADERS = 1 << 16;

  private final String dump;
  private final MemoryRanges saved;
  private final List<OpenImage> opened = new ArrayList<>();
  private @Nullable ImageSource source;

  ModuleImages(Minidump dump) {
    this.dump = dump.name();
    this.saved = dump.memory();
  }

  synchronized void from(ImageSource other) {
    source = other;
  }

  synchronized boolean haveSource() {
    return source != null;
  }

  /** Opens the file of a module. */
  synchronized Optional<OpenImage> open(DumpedModule module) {
    Optional<OpenImage> found = source == null ? Optional.empty() : source.find(module);
    found.ifPresent(opened::add);
    return found;
  }

  /** Returns {@code crash.dmp!ntdll.dll}: an image in a dump, for messages. */
  String name(DumpedModule module) {
    return dump + "!" + module.name();
  }

  /** Returns the saved memory of a module by RVA. */
  ImageView view(DumpedModule module) {
    return ImageView.of(name(module), extents(module));
  }

  /** Returns the saved pieces of a module; what is in one piece in the file is one. */
  List<Extent> extents(DumpedModule module) {
    List<Extent> extents = new ArrayList<>();
    long end = module.base() + module.size() - 1;
    int range = Math.max(0, saved.after(module.base()) - 1);
    while (range < saved.count() && Long.compareUnsigned(saved.start(range), end) <= 0) {
      long start = saved.start(range);
      long last = start + saved.length(range) - 1;
      range++;
      while (range < saved.count() && continues(range)) {
        last += saved.length(range++);
      }
      long from = Long.compareUnsigned(start, module.base()) < 0 ? module.base() : start;
      long to = Long.compareUnsigned(last, end) > 0 ? end : last;
      if (Long.compareUnsigned(from, to) <= 0) {
        int length = (int) Math.min(to - from + 1, Integer.MAX_VALUE - 15);
        extents.add(new Extent(from - module.base(), length, saved.readUpTo(from, length)));
      }
    }
    return extents;
  }

  /** Returns true if a range follows the one before it, in memory and in the file. */
  private boolean continues(int range) {
    long length = saved.length(range - 1);
    return saved.start(range) == saved.start(range - 1) + length
        && saved.offset(range) == saved.offset(range - 1) + length;
  }

  /**
   * Returns the image in some memory; null if it has no headers. What its header says of its base
   * is replaced by where it is: its addresses were relocated to that.
   */
  static @Nullable PeImage image(ImageView view, long base) {
    if (view.extents().isEmpty()) {
      return null;
    }
    try {
      PeImage image = PeImage.ofMemory(view);
      PeHeaders headers = image.headers();
      return headers.imageBase() == base || headers.end() > HEADERS
          ? image
          : PeImage.ofMemory(based(view, headers.imageBaseOffset(), headers.pointerBytes(), base));
    } catch (CannotGoOn | DamagedInput e) {
      // Without its headers it is memory like any other.
      return null;
    }
  }

  private static ImageView based(ImageView view, long at, int width, long base) {
    byte[] bytes = new byte[width];
    for (int i = 0; i < width; i++) {
      bytes[i] = (byte) (base >>> 8 * i);
    }
    List<Extent> extents = new ArrayList<>();
    Extent first = view.extents().getFirst();
    // Headers are read from the first piece as a whole.
    int length = (int) Math.min(first.storedLength(), HEADERS);
    if (at + width > length) {
      return view;
    }
    byte[] start = first.stored().array(0, length);
    System.arraycopy(bytes, 0, start, (int) at, width);
    extents.add(new Extent(first.rva(), length, Bytes.copyOf(start, view.name())));
    extents.addAll(view.extents());
    return ImageView.of(view.name(), extents);
  }

  Bytes nothing() {
    return saved.readUpTo(0, 0);
  }

  @Override
  public synchronized void close() {
    opened.forEach(OpenImage::close);
    opened.clear();
  }
}
