package io.ntrail.cli.image;

import io.ntrail.analysis.dumps.ImageComparison;
import io.ntrail.analysis.dumps.ImageComparison.Difference;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Bytes;

/** {@code --compare FILE}: bytes of a dump's memory that differ from the file. */
final class ImageDifferences {
  /** Bytes of a difference on the screen. */
  private static final int SHOWN = 12;

  private ImageDifferences() {}

  static ImagePart of(ImageComparison comparison, ImageNames names) {
    ListingColumns<Difference> columns =
        new ListingColumns<Difference>()
            .hex("rva", Difference::rva)
            .titled()
            .count("bytes", Difference::length)
            .titled()
            .text("section", Difference::section)
            .titled()
            .text("memory", difference -> hex(difference.memory(), Integer.MAX_VALUE))
            .titled("in memory")
            .shown(difference -> hex(difference.memory(), SHOWN))
            .text("file", difference -> hex(difference.file(), Integer.MAX_VALUE))
            .titled("in the file")
            .shown(difference -> hex(difference.file(), SHOWN))
            .text("function", difference -> names.begins(difference.rva()))
            .titled();
    Listing<Difference> rows =
        new Listing<>("differences", columns, comparison.differences()::forEach);
    return new ImagePart(
        rows,
        (out, limit, width) -> {
          rows.table(out, limit, width);
          out.println(summary(comparison));
        },
        json -> {
          rows.json(json);
          json.object("comparison")
              .number("compared", comparison.compared())
              .number("notSaved", comparison.notSaved())
              .number("aside", comparison.aside())
              .number("differencesLeftOut", comparison.leftOut())
              .endObject();
        });
  }

  private static String hex(Bytes bytes, int most) {
    int shown = Math.min(most, bytes.length());
    return Numbers.hex(bytes.array(0, shown)) + (shown < bytes.length() ? "..." : "");
  }

  private static String summary(ImageComparison comparison) {
    return (comparison.differences().isEmpty()
            ? "no difference"
            : Numbers.counted(comparison.differences().size() + comparison.leftOut(), "difference"))
        + " in "
        + Numbers.count(comparison.compared())
        + " bytes; not in the dump: "
        + Numbers.count(comparison.notSaved())
        + "; not compared, as program and loader write them: "
        + Numbers.count(comparison.aside())
        + " (writable sections, import tables, guard pointers)";
  }
}
