package io.ntrail.programs.image;

import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pe.ImageView.Extent;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import java.util.ArrayList;
import java.util.List;

/**
 * Code of an image: its executable sections, counting whole pages as the loader maps them. Answers
 * in a few steps however many sections a hostile image has.
 */
public final class CodeRanges {
  /** An image whose sections are not aligned to pages is mapped, and executable, as a whole. */
  private static final long PAGE = 0x1000;

  /**
   * Addresses from {@code begin} to before {@code end}.
   *
   * @param begin an RVA
   * @param end an RVA
   */
  public record Range(long begin, long end) {}

  private final List<Range> ranges;
  private final long[] begins;

  private CodeRanges(List<Range> ranges) {
    this.ranges = List.copyOf(ranges);
    this.begins = this.ranges.stream().mapToLong(Range::begin).toArray();
  }

  /** The ranges of an image. */
  public static CodeRanges of(PeImage image) {
    List<Range> ranges = new ArrayList<>();
    if (image.headers().sectionAlignment() < PAGE) {
      for (Extent extent : image.view().extents()) {
        ranges.add(new Range(extent.rva(), extent.end()));
      }
    } else {
      for (Section section : image.sections()) {
        if (section.is(Section.EXECUTE) && section.size() > 0) {
          ranges.add(new Range(section.rva(), section.rva() + (section.size() + PAGE - 1 & -PAGE)));
        }
      }
    }
    return new CodeRanges(joined(ranges));
  }

  /**
   * The executable sections of an image without the rest of their last pages; all of an image
   * without sections.
   */
  static CodeRanges ofSections(PeImage image) {
    if (image.sections().isEmpty()) {
      return of(image);
    }
    List<Range> ranges = new ArrayList<>();
    for (Section section : image.sections()) {
      if (section.is(Section.EXECUTE) && section.size() > 0) {
        ranges.add(new Range(section.rva(), section.rva() + section.size()));
      }
    }
    return new CodeRanges(joined(ranges));
  }

  /** Returns ranges by address, those that touch or overlap as one. */
  static List<Range> joined(List<Range> ranges) {
    ranges.sort((a, b) -> Long.compare(a.begin(), b.begin()));
    List<Range> joined = new ArrayList<>();
    for (Range range : ranges) {
      if (!joined.isEmpty() && joined.getLast().end() >= range.begin()) {
        Range last = joined.removeLast();
        joined.add(new Range(last.begin(), Math.max(last.end(), range.end())));
      } else {
        joined.add(range);
      }
    }
    return joined;
  }

  /** Ascending, apart from one another. */
  public List<Range> list() {
    return ranges;
  }

  /** Returns true if an RVA is in code. */
  public boolean contains(long rva) {
    int i = index(rva);
    return i >= 0 && rva < ranges.get(i).end();
  }

  /** Returns the end of the contiguous code at an RVA, or the RVA itself if it is not in code. */
  public long end(long rva) {
    int i = index(rva);
    return i >= 0 ? Math.max(rva, ranges.get(i).end()) : rva;
  }

  /** Returns the last range that starts at or before an address. */
  private int index(long rva) {
    return Search.floor(begins, begins.length, rva);
  }
}
