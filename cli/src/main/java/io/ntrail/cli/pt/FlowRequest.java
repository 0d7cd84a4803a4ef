package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.AddressFilter;
import io.ntrail.analysis.flow.FlowSettings;
import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.UsageError;
import io.ntrail.programs.x86.CodeSize;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.ParseResult;

/**
 * Request for the flow of a stream.
 *
 * @param settings how it is decoded
 * @param limit rows at most; 0: all
 * @param time of its first instruction, by block
 * @param withEvents whether events have rows, too
 * @param cores threads that decode
 */
record FlowRequest(
    Path path,
    ProcessorOptions processor,
    FlowSettings settings,
    long limit,
    TimeRange time,
    boolean withEvents,
    int cores) {
  static final OptionValues<Resync> RESYNC = OptionValues.of("--resync", List.of(Resync.values()));

  static final String FILTER = "--filter";

  private static List<AddressFilter> filters(ParseResult parsed) {
    return CommonOptions.all(parsed, FILTER).stream().map(FlowRequest::filter).toList();
  }

  /** Reads a range of addresses. */
  static AddressFilter filter(String word) {
    int dash = word.indexOf('-');
    try {
      AddressFilter filter =
          new AddressFilter(
              FunctionArgument.address(word.substring(0, Math.max(0, dash))),
              FunctionArgument.address(word.substring(dash + 1)));
      if (Long.compareUnsigned(filter.from(), filter.to()) > 0) {
        throw new UsageError(
            FILTER + " " + word + " ends before it begins", FILTER + " 0x401000-0x4fffff");
      }
      return filter;
    } catch (NumberFormatException _) {
      throw new UsageError(FILTER + " takes FROM-TO, not " + word, FILTER + " 0x401000-0x4fffff");
    }
  }

  /** Reads the options of a stream. */
  static FlowRequest of(Path path, ParseResult parsed) {
    ProcessorOptions processor = ProcessorOptions.of(parsed);
    TimeRange time = TimeRange.parse(CommonOptions.text(parsed, "--time", ".."));
    processor.checkTime(time, "flow", path);
    return of(path, processor, time, parsed);
  }

  /** Reads the options of a recording, which knows the time. */
  static FlowRequest ofRecording(Path path, ParseResult parsed) {
    TimeRange time = TimeRange.withClock(CommonOptions.text(parsed, "--time", ".."));
    return of(path, ProcessorOptions.of(parsed), time, parsed);
  }

  /** Reads the options of a recording of which all is followed. */
  static FlowRequest ofWhole(Path path, ParseResult parsed) {
    return of(path, ProcessorOptions.of(parsed), TimeRange.parse(".."), parsed);
  }

  private static FlowRequest of(
      Path path, ProcessorOptions processor, TimeRange time, ParseResult parsed) {
    CodeSize size =
        switch (CommonOptions.text(parsed, "--bits", "64")) {
          case "16" -> CodeSize.BITS16;
          case "32" -> CodeSize.BITS32;
          case "64" -> CodeSize.BITS64;
          default ->
              throw new UsageError(
                  "--bits takes 16, 32 or 64, not " + CommonOptions.text(parsed, "--bits", ""),
                  "--bits 64");
        };
    return new FlowRequest(
        path,
        processor,
        new FlowSettings(
            processor.errata(),
            RESYNC.value(parsed, Resync.EVENT),
            size,
            filters(parsed),
            processor.asLibipt()),
        CommonOptions.number(parsed, "-n", 0),
        time,
        CommonOptions.has(parsed, "--events"),
        CommonOptions.cores(parsed));
  }
}
