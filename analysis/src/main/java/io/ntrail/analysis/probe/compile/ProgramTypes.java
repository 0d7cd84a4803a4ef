package io.ntrail.analysis.probe.compile;

import io.ntrail.analysis.probe.syntax.CompileError;
import io.ntrail.analysis.probe.syntax.Expression;
import io.ntrail.analysis.probe.syntax.TypeName;
import io.ntrail.analysis.probe.types.StructType;
import io.ntrail.analysis.probe.types.StructType.Member;
import io.ntrail.analysis.probe.types.Type;
import io.ntrail.analysis.probe.types.Types;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Types that a program declares, besides those that every program has. */
final class ProgramTypes {
  private static final int MOST_BYTES = 1 << 20;

  /** Types that lie in each other at most. */
  private static final int MOST_DEPTH = 64;

  private final Map<String, Type> typedefs = new HashMap<>();
  private final Map<String, Type> enumerations = new HashMap<>();
  private final Map<String, StructType> structs = new HashMap<>();
  private final IdentityHashMap<StructType, Integer> depths = new IdentityHashMap<>();
  private final Map<String, Long> constants = new HashMap<>();
  private final ToLongFunction<Expression> evaluate;

  /**
   * A table without types of a program.
   *
   * @param evaluate value of a constant
   */
  ProgramTypes(ToLongFunction<Expression> evaluate) {
    this.evaluate = evaluate;
  }

  void typedef(TypeName.Declarator declarator) {
    typedefs.put(declarator.name(), of(declarator.type()));
  }

  /** Returns the value of a name of an enumeration. */
  Optional<Long> constant(String name) {
    return Optional.ofNullable(constants.get(name));
  }

  /** Returns a type by its name. */
  Type of(TypeName name) {
    Type type = whole(name);
    if (depth(type) > MOST_DEPTH) {
      throw new CompileError(
          "D_DECL_OVERSIZE",
          name.place(),
          "more than %d types lie in each other".formatted(MOST_DEPTH));
    }
    return type;
  }

  private int depth(Type type) {
    int depth = 0;
    Type inner = type;
    while (true) {
      switch (inner) {
        case Type.Pointer pointer when pointer.to() instanceof StructType -> {
          return depth;
        }
        case Type.Pointer pointer -> inner = pointer.to();
        case Type.Array array -> inner = array.of();
        case StructType struct -> {
          return depth + depths.getOrDefault(struct, 0);
        }
        default -> {
          return depth;
        }
      }
      depth++;
    }
  }

  private Type whole(TypeName name) {
    Type type = base(name);
    for (int i = 0; i < name.pointers(); i++) {
      type = new Type.Pointer(type);
    }
    List<Expression> lengths = name.lengths();
    for (int i = lengths.size() - 1; i >= 0; i--) {
      long length = evaluate.applyAsLong(lengths.get(i));
      if (length < 0 || length * Math.max(1, type.size()) > MOST_BYTES) {
        throw new CompileError(
            "D_ARR_BADSIZE", name.place(), "an array of %d elements".formatted(length));
      }
      type = new Type.Array(type, (int) length);
    }
    return type;
  }

  private Type base(TypeName name) {
    String first = name.words().getFirst();
    if (first.equals("enum")) {
      return enumeration(name);
    }
    if (first.equals("struct") || first.equals("union")) {
      return struct(name, first);
    }
    return Types.ofWords(name.words())
        .or(() -> Optional.ofNullable(typedefs.get(first)))
        .or(() -> Types.named(first))
        .orElseThrow(() ->
            new CompileError(
                "D_DECL_TYPERR",
                name.place(),
                "there is no type %s".formatted(String.join(" ", name.words()))));
  }

  private Type enumeration(TypeName name) {
    String text = name.tag().isEmpty() ? "enum" : "enum " + name.tag();
    if (name.values().isEmpty()) {
      return Optional.ofNullable(enumerations.get(text))
          .orElseThrow(
              () -> new CompileError("D_DECL_TYPERR", name.place(), "there is no type " + text));
    }
    Map<Long, String> names = new HashMap<>();
    long next = 0;
    for (TypeName.EnumValue value : name.values().get()) {
      next = value.value().map(evaluate::applyAsLong).orElse(next);
      names.putIfAbsent(next, value.name());
      constants.put(value.name(), next++);
    }
    Type.Integral type = new Type.Integral(text, Types.INT.size(), true, Map.copyOf(names));
    enumerations.put(text, type);
    return type;
  }

  private StructType struct(TypeName name, String keyword) {
    String tag = name.tag().isEmpty() ? "" : keyword + " " + name.tag();
    StructType struct =
        tag.isEmpty() ? new StructType(keyword) : structs.computeIfAbsent(tag, StructType::new);
    if (name.members().isPresent()) {
      if (struct.isComplete()) {
        throw new CompileError("D_DECL_IDRED", name.place(), "%s is declared twice".formatted(tag));
      }
      lay(struct, name.members().get(), keyword.equals("union"));
    }
    return struct;
  }

  private void lay(StructType struct, List<TypeName.Declarator> declarators, boolean isUnion) {
    List<Member> members = new ArrayList<>();
    long bit = 0;
    long size = 0;
    int most = 1;
    for (TypeName.Declarator declarator : declarators) {
      Type type = of(declarator.type());
      if (type instanceof StructType inner && !inner.isComplete() || type instanceof Type.Nothing) {
        throw new CompileError(
            "D_DECL_INCOMPLETE",
            declarator.place(),
            "the size of %s is not known".formatted(declarator.name()));
      }
      int alignment = alignment(type);
      most = Math.max(most, alignment);
      int unit = 8 * type.size();
      int bits = declarator.bits();
      bit = isUnion ? 0 : bit;
      boolean fits = bits > 0 && unit > 0 && bit % unit + bits <= unit;
      if (!fits) {
        bit = (bit + 8L * alignment - 1) / (8L * alignment) * (8L * alignment);
      }
      int offset = (int) (bits > 0 ? bit / unit * type.size() : bit / 8);
      members.add(
          new Member(declarator.name(), type, offset, bits, bits > 0 ? (int) (bit % unit) : 0));
      bit += bits > 0 ? bits : unit;
      size = Math.max(size, bit);
    }
    long bytes = ((size + 7) / 8 + most - 1) / most * most;
    if (bytes > MOST_BYTES) {
      throw new CompileError(
          "D_DECL_OVERSIZE", declarators.getFirst().place(), "a struct is too large");
    }
    struct.complete(members, (int) bytes, most);
    int deepest = members.stream().mapToInt(member -> depth(member.type())).max().orElse(0);
    depths.put(struct, deepest + 1);
  }

  private static int alignment(Type type) {
    return switch (type) {
      case StructType struct -> struct.alignment();
      case Type.Array array -> alignment(array.of());
      case Type.Text _ -> 1;
      default -> Math.max(1, type.size());
    };
  }
}
