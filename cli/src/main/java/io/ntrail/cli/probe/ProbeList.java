package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.engine.Probe;
import io.ntrail.analysis.probe.types.Type;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** List of probes, as {@code dtrace -l} has it. */
final class ProbeList {
  private ProbeList() {}

  /**
   * Prints probes.
   *
   * @param isVerbose true: with the types of their arguments
   */
  static void print(List<Probe> probes, boolean isVerbose, PrintStream out) {
    out.println("%5s %10s %17s %33s %s".formatted("ID", "PROVIDER", "MODULE", "FUNCTION", "NAME"));
    for (Probe probe : probes) {
      out.println(
          "%5d %10s %17s %33s %s"
              .formatted(
                  probe.id(), probe.provider(), probe.module(), probe.function(), probe.name()));
      for (int i = 0; isVerbose && i < probe.arguments().size(); i++) {
        types(i, probe.arguments().get(i)).forEach(line -> out.println("        " + line));
      }
    }
  }

  private static void fields(List<String> lines, String before, Type.Fields fields) {
    for (Type.Fields.Field field : fields.fields()) {
      Type type = field.type();
      String name = before + field.name();
      while (type instanceof Type.Elements elements) {
        name += "[]";
        type = elements.of();
      }
      if (type instanceof Type.Fields inner) {
        fields(lines, name + ".", inner);
      } else {
        lines.add(name + ": " + type.text());
      }
    }
  }

  private static List<String> types(int index, Type type) {
    List<String> lines = new ArrayList<>();
    if (type instanceof Type.Fields fields) {
      lines.add("args[%d]: %s *".formatted(index, fields.text()));
      fields(lines, "  args[%d]->".formatted(index), fields);
    } else {
      lines.add("args[%d]: %s".formatted(index, type.text()));
    }
    return lines;
  }
}
