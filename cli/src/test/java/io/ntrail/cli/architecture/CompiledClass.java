package io.ntrail.cli.architecture;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.FieldModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Facts about a class that the rules need.
 *
 * @param name in full, with {@code $} before nested names
 * @param source the name of its source file
 * @param uses the classes it refers to in any way, and {@code class.field} for static fields of
 *     others it reads; each with a line of the source, 0 if no instruction is behind it
 * @param changeable static fields that can change: not final, or an array that others can reach
 */
record CompiledClass(
    String name, String source, Map<String, Integer> uses, List<String> changeable) {

  private static final Pattern DESCRIBED = Pattern.compile("L([\\w$/]+)[;<]");
  private static final Pattern DESCRIPTOR = Pattern.compile("[(<\\[]*(L[\\w$/]+[;<]|.*\\)).*");

  static CompiledClass read(byte[] bytes) {
    ClassModel model = ClassFile.of().parse(bytes);
    Map<String, Integer> uses = new TreeMap<>();
    for (PoolEntry entry : model.constantPool()) {
      switch (entry) {
        case ClassEntry type -> addType(uses, type.asInternalName(), 0);
        // Descriptors and signatures; texts that look like one count as one.
        case Utf8Entry text when DESCRIPTOR.matcher(text.stringValue()).matches() ->
            addAll(uses, text.stringValue());
        default -> {}
      }
    }
    for (MethodModel method : model.methods()) {
      method
          .code()
          .ifPresent(code -> {
            int line = 0;
            for (CodeElement element : code) {
              switch (element) {
                case LineNumber number -> line = number.line();
                case FieldInstruction field -> {
                  String owner = addType(uses, field.owner().asInternalName(), line);
                  uses.putIfAbsent(owner + "." + field.name().stringValue(), line);
                }
                case InvokeInstruction call -> addType(uses, call.owner().asInternalName(), line);
                case NewObjectInstruction made ->
                    addType(uses, made.className().asInternalName(), line);
                case Instruction _ -> {}
                default -> {}
              }
            }
          });
    }
    List<String> changeable = new ArrayList<>();
    model.fields().stream()
        .filter(CompiledClass::canChange)
        .forEach(field -> changeable.add(field.fieldName().stringValue()));
    String name = model.thisClass().asInternalName().replace('/', '.');
    String source =
        model
            .findAttribute(Attributes.sourceFile())
            .map(attribute -> attribute.sourceFile().stringValue())
            .orElse(name);
    return new CompiledClass(name, source, uses, changeable);
  }

  String packageName() {
    return packageOf(name);
  }

  static String packageOf(String className) {
    return className.substring(0, Math.max(0, className.lastIndexOf('.')));
  }

  /** The place as people and editors read it: {@code io.ntrail.cli.Main (Main.java:12)}. */
  String at(int line) {
    return name + " (" + source + (line > 0 ? ":" + line : "") + ")";
  }

  private static boolean canChange(FieldModel field) {
    if (!field.flags().has(AccessFlag.STATIC) || field.flags().has(AccessFlag.SYNTHETIC)) {
      return false;
    }
    boolean array = field.fieldType().stringValue().startsWith("[");
    return !field.flags().has(AccessFlag.FINAL) || array && !field.flags().has(AccessFlag.PRIVATE);
  }

  private static String addType(Map<String, Integer> uses, String internalName, int line) {
    if (internalName.startsWith("[")) {
      addAll(uses, internalName);
      return internalName;
    }
    String name = internalName.replace('/', '.');
    uses.merge(name, line, (before, now) -> before == 0 ? now : before);
    return name;
  }

  private static void addAll(Map<String, Integer> uses, String descriptor) {
    for (Matcher matcher = DESCRIBED.matcher(descriptor); matcher.find(); ) {
      addType(uses, matcher.group(1), 0);
    }
  }
}
