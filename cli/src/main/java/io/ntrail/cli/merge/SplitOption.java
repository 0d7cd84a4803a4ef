package io.ntrail.cli.merge;

import io.ntrail.analysis.merge.RecordingSplit.Limit;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import java.nio.file.Path;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code --split SIZE|TIME}: several recordings instead of one, NAME.001.etl and so on. */
final class SplitOption {
  static final String NAME = "--split";

  private SplitOption() {}

  static void add(CommandSpec spec) {
    spec.addOption(
        CommonOptions.value("SIZE|TIME", "several files of so much each: 100M, 10s", NAME));
  }

  /** Returns the limit of each part. */
  static Limit limit(ParseResult parsed) {
    String text = CommonOptions.text(parsed, NAME, "");
    boolean isTime = text.endsWith("s");
    long limit =
        isTime ? TimeRange.parse("0.." + text).toNanos() : CommonOptions.size(parsed, NAME);
    if (limit <= 0) {
      throw new UsageError(NAME + " takes a size or a time above 0, not " + text, NAME + " 100M");
    }
    return isTime ? new Limit(limit, Long.MAX_VALUE) : new Limit(Long.MAX_VALUE, limit);
  }

  /** Returns the place of a part: NAME.001.etl for NAME.etl. */
  static Path place(Path whole, int part) {
    String name = String.valueOf(whole.getFileName());
    int dot = name.lastIndexOf('.');
    String stem = dot <= 0 ? name : name.substring(0, dot);
    String ending = dot <= 0 ? "" : name.substring(dot);
    return whole.resolveSibling("%s.%03d%s".formatted(stem, part, ending));
  }
}
