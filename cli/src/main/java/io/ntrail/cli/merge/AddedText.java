package io.ntrail.cli.merge;

import io.ntrail.analysis.merge.Additions;
import io.ntrail.analysis.merge.Additions.Missing;
import io.ntrail.cli.text.Numbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lines about what a merge has added, and what it was to add and could not. */
final class AddedText {
  /** Names in one line. */
  private static final int SHOWN = 5;

  private AddedText() {}

  static List<String> lines(Additions more) {
    List<String> lines = new ArrayList<>();
    List<String> added = new ArrayList<>();
    if (more.images() > 0) {
      added.add("the PDB ids of " + Numbers.counted(more.images(), "image"));
    }
    if (more.system().volumes() > 0) {
      added.add("the drive letters of " + Numbers.counted(more.system().volumes(), "volume"));
    }
    if (more.system().paths() > 0) {
      added.add("the system paths");
    }
    if (more.system().builds() > 0) {
      added.add("the build of Windows");
    }
    if (more.descriptions() > 0) {
      added.add(Numbers.counted(more.descriptions(), "event schema"));
    }
    if (!added.isEmpty()) {
      lines.add("added " + String.join(", ", added));
    }
    if (more.pdbs() > 0) {
      lines.add("packed " + Numbers.counted(more.pdbs(), "PDB"));
    }
    Map<String, List<String>> missing = new LinkedHashMap<>();
    for (Missing one : more.missing()) {
      missing
          .computeIfAbsent(one.what() + "\0" + one.why(), _ -> new ArrayList<>())
          .add(one.name());
    }
    missing.forEach((key, names) -> {
      String what = key.substring(0, key.indexOf('\0'));
      String why = key.substring(key.indexOf('\0') + 1);
      lines.add(
          "missing: %s, %s: %s".formatted(Numbers.counted(names.size(), what), why, shown(names)));
    });
    return lines;
  }

  private static String shown(List<String> names) {
    String some = String.join(", ", names.subList(0, Math.min(SHOWN, names.size())));
    return names.size() > SHOWN ? some + " ... (--format json lists all)" : some;
  }
}
