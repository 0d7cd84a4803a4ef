package io.ntrail.formats.pe.unwind;

import io.ntrail.formats.pe.ImageView;
import io.ntrail.testkit.pe.ToolCode;
import io.ntrail.testkit.pe.ToolFunction;
import io.ntrail.testkit.pe.ToolUnwind;
import java.util.List;
import java.util.OptionalLong;

/** Formats unwind data in the terms of the tools. */
final class ToolUnwinds {
  private ToolUnwinds() {}

  static List<ToolFunction> table(FunctionTable table) {
    return table.entries().stream().map(ToolUnwinds::row).toList();
  }

  static ToolFunction row(RuntimeFunction entry) {
    return new ToolFunction(entry.begin(), entry.end(), entry.unwindInfo());
  }

  /** The UNWIND_INFO at a place as that of one function. */
  static ToolUnwind unwind(ImageView view, ToolFunction function) {
    UnwindInfo info = UnwindInfo.read(view, function.unwind());
    RuntimeFunction entry =
        RuntimeFunction.of(0, function.begin(), function.end(), function.unwind());
    return new ToolUnwind(
        info.rva(),
        function.begin(),
        function.end(),
        info.version(),
        info.flags(),
        info.prologSize(),
        info.codeCount(),
        info.frameRegister(),
        info.frameOffset(),
        info.prologCodes().stream().map(ToolUnwinds::code).toList(),
        info.epilogs().isEmpty() ? 0 : info.epilogs().getFirst().size(),
        info.epilogs().stream()
            .map(epilog -> (int) (epilog.startIn(entry) - function.begin()))
            .toList(),
        info.hasHandler() ? OptionalLong.of(info.handler()) : OptionalLong.empty(),
        info.chained().map(ToolUnwinds::row));
  }

  private static ToolCode code(UnwindCode code) {
    // The tools do not distinguish near from far.
    String operation = code.operation().name().replace("UWOP_", "").replace("_FAR", "");
    return new ToolCode(code.offset(), operation, Math.max(0, code.register()), code.value());
  }
}
