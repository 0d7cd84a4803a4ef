package io.ntrail.analysis.dumps;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.MemoryRanges;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.programs.symbols.OpenImage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where the images of modules come from; owns the files that were opened. */
final class ModuleImages implements AutoCloseable {
  private final MemoryRanges saved;
  private final List<OpenImage> opened = new ArrayList<>();
  private @Nullable ImageSource source;

  ModuleImages(MemoryRanges saved) {
    this.saved = saved;
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

  /** Returns the saved memory of a module by RVA. */
  ImageView view(DumpedModule module) {
    List<Extent> extents = new ArrayList<>();
    long end = module.base() + module.size();
    int range = Math.max(0, saved.after(module.base()) - 1);
    for (; range < saved.count(); range++) {
      long start = saved.start(range);
      if (Long.compareUnsigned(start, end - 1) > 0) {
        break;
      }
      long from = Long.compareUnsigned(start, module.base()) < 0 ? module.base() : start;
      long last = start + saved.length(range) - 1;
      long to = Long.compareUnsigned(last, end - 1) > 0 ? end - 1 : last;
      if (Long.compareUnsigned(from, to) <= 0) {
        int length = (int) Math.min(to - from + 1, Integer.MAX_VALUE - 15);
        extents.add(new Extent(from - module.base(), length, saved.readUpTo(from, length)));
      }
    }
    return ImageView.of(module.path(), extents);
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
