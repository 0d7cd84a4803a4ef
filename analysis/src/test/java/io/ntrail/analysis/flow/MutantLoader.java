package io.ntrail.analysis.flow;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.BranchInstruction;
import java.lang.classfile.instruction.LabelTarget;
import java.lang.classfile.instruction.LineNumber;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.classfile.instruction.TableSwitchInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Loads the classes of the decoder again, with one rule of one of them turned round: a condition
 * holds where it did not, or a case of a switch is taken for any other one.
 *
 * <p>Each turn back of the changed class is counted, so that a loop that does not end any more is
 * broken off: {@link MutantTurns}.
 */
final class MutantLoader extends ClassLoader {
  private static final String PACKAGE = MutantLoader.class.getPackageName() + ".";

  /**
   * Place of a rule.
   *
   * @param index which of the class, from 0
   * @param text where it stands, for people
   */
  record Rule(String className, int index, String text) {}

  private final Rule broken;

  MutantLoader(Rule broken) {
    super(MutantLoader.class.getClassLoader());
    this.broken = broken;
  }

  private static byte[] bytes(String name) throws IOException {
    String file = "/" + name.replace('.', '/') + ".class";
    try (InputStream in = MutantLoader.class.getResourceAsStream(file)) {
      return in == null ? new byte[0] : in.readAllBytes();
    }
  }

  private static boolean isRule(CodeElement element) {
    return element instanceof BranchInstruction branch && inverse(branch.opcode()) != null
        || element instanceof TableSwitchInstruction;
  }

  /** Returns the rules of a class. */
  static List<Rule> rules(String simpleName) throws IOException {
    List<Rule> rules = new ArrayList<>();
    ClassModel model = ClassFile.of().parse(bytes(PACKAGE + simpleName));
    for (MethodModel method : model.methods()) {
      int line = 0;
      for (CodeElement element : method.code().map(code -> code.elementList()).orElse(List.of())) {
        if (element instanceof LineNumber number) {
          line = number.line();
        }
        if (isRule(element)) {
          int variants = element instanceof TableSwitchInstruction cases ? cases.cases().size() : 1;
          for (int i = 0; i < variants; i++) {
            String text = "%s.%s, line %d".formatted(simpleName, method.methodName(), line);
            rules.add(new Rule(PACKAGE + simpleName, rules.size(), text));
          }
        }
      }
    }
    return rules;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    boolean isOurs =
        name.startsWith(PACKAGE)
            && !name.startsWith(MutantLoader.class.getName())
            && !name.equals(MutantTurns.class.getName());
    if (!isOurs) {
      return super.loadClass(name, resolve);
    }
    Class<?> known = findLoadedClass(name);
    if (known != null) {
      return known;
    }
    try {
      byte[] content = bytes(name);
      byte[] changed = name.equals(broken.className) ? changed(content) : content;
      return defineClass(name, changed, 0, changed.length);
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private byte[] changed(byte[] content) {
    ClassModel model = ClassFile.of().parse(content);
    int[] next = {0};
    return ClassFile.of(
            ClassFile.DeadCodeOption.PATCH_DEAD_CODE, ClassFile.DebugElementsOption.DROP_DEBUG)
        .transformClass(
            model,
            ClassTransform.transformingMethodBodies(
                CodeTransform.ofStateful(() -> new Change(next))));
  }

  /** Changes the one rule of the class, and counts turns back. */
  private final class Change implements CodeTransform {
    private final Set<Label> passed = new HashSet<>();
    private final int[] next;

    Change(int[] next) {
      this.next = next;
    }

    @Override
    public void accept(CodeBuilder builder, CodeElement element) {
      switch (element) {
        case LabelTarget target -> {
          passed.add(target.label());
          builder.with(element);
        }
        case BranchInstruction branch -> {
          if (passed.contains(branch.target())) {
            builder.invokestatic(
                ClassDesc.of(MutantTurns.class.getName()),
                "spend",
                MethodTypeDesc.ofDescriptor("()V"));
          }
          Opcode inverse = inverse(branch.opcode());
          boolean isBroken = inverse != null && next[0]++ == broken.index;
          builder.branch(inverse != null && isBroken ? inverse : branch.opcode(), branch.target());
        }
        case TableSwitchInstruction cases -> {
          List<SwitchCase> kept = new ArrayList<>();
          for (SwitchCase one : cases.cases()) {
            boolean isBroken = next[0]++ == broken.index;
            kept.add(isBroken ? SwitchCase.of(one.caseValue(), cases.defaultTarget()) : one);
          }
          builder.tableswitch(cases.lowValue(), cases.highValue(), cases.defaultTarget(), kept);
        }
        default -> builder.with(element);
      }
    }
  }

  private static @Nullable Opcode inverse(Opcode opcode) {
    return switch (opcode) {
      case IFEQ -> Opcode.IFNE;
      case IFNE -> Opcode.IFEQ;
      case IFLT -> Opcode.IFGE;
      case IFGE -> Opcode.IFLT;
      case IFGT -> Opcode.IFLE;
      case IFLE -> Opcode.IFGT;
      case IF_ICMPEQ -> Opcode.IF_ICMPNE;
      case IF_ICMPNE -> Opcode.IF_ICMPEQ;
      case IF_ICMPLT -> Opcode.IF_ICMPGE;
      case IF_ICMPGE -> Opcode.IF_ICMPLT;
      case IF_ICMPGT -> Opcode.IF_ICMPLE;
      case IF_ICMPLE -> Opcode.IF_ICMPGT;
      case IF_ACMPEQ -> Opcode.IF_ACMPNE;
      case IF_ACMPNE -> Opcode.IF_ACMPEQ;
      case IFNULL -> Opcode.IFNONNULL;
      case IFNONNULL -> Opcode.IFNULL;
      default -> null;
    };
  }
}
