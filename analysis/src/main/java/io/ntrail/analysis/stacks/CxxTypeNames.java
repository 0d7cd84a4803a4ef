package io.ntrail.analysis.stacks;

import io.ntrail.formats.decoration.Undecorator;
import java.util.List;

/** Names of types that C++ throws and catches. */
public final class CxxTypeNames {
  private static final String SUFFIX = " `RTTI Type Descriptor Name'";

  private CxxTypeNames() {}

  /** Returns the name of a type descriptor for people: {@code std::exception}. */
  public static String readable(String decorated) {
    String text = Undecorator.of(decorated, Undecorator.Style.FULL).orElse(decorated);
    text = text.endsWith(SUFFIX) ? text.substring(0, text.length() - SUFFIX.length()) : text;
    for (String kind : List.of("class ", "struct ", "enum ", "union ")) {
      text = text.startsWith(kind) ? text.substring(kind.length()) : text;
    }
    return text;
  }
}
