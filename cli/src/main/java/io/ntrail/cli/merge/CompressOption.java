package io.ntrail.cli.merge;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.merge.RecordingMerge;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code --compress xpress|none}: compression of a new recording's buffers. */
final class CompressOption {
  private static final String NAME = "--compress";

  private CompressOption() {}

  static void add(CommandSpec spec) {
    spec.addOption(
        CommonOptions.value(
            "xpress|none", "compression of its buffers; default: as the files have it", NAME));
  }

  /**
   * Returns true if buffers are to be compressed.
   *
   * @param example of right usage
   */
  static boolean isCompressed(ParseResult parsed, EtwRecording recording, String example) {
    String wanted = CommonOptions.text(parsed, NAME, "");
    return switch (wanted) {
      case "" -> RecordingMerge.isCompressed(recording);
      case "xpress" -> true;
      case "none" -> false;
      default -> throw new UsageError(NAME + " takes xpress or none, not " + wanted, example);
    };
  }
}
