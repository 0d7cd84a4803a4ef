package io.ntrail.cli.image;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.formats.pe.unwind.UnwindInfo;
import io.ntrail.formats.pe.unwind.UnwindInfo.Epilog;
import io.ntrail.formats.pe.unwind.UnwindOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Formats of unwind information: a cell of a table, and JSON. */
final class UnwindText {
  private UnwindText() {}

  /** {@code rsp+0x58}, {@code rbp}: what a frame is found by. */
  static String frame(UnwindInfo info) {
    if (info.frameRegister() != 0) {
      return UnwindCode.generalName(info.frameRegister())
          + (info.frameOffset() == 0 ? "" : "-" + Numbers.hex(info.frameOffset()));
    }
    long room = 0;
    for (UnwindCode code : info.prologCodes()) {
      if (isRoom(code)) {
        room += code.value();
      }
    }
    return room == 0 ? "rsp" : "rsp+" + Numbers.hex(room);
  }

  private static boolean isRoom(UnwindCode code) {
    return switch (code.operation()) {
      case UWOP_ALLOC_SMALL, UWOP_ALLOC_LARGE, WOD_ALLOC_SMALL, WOD_ALLOC_LARGE, WOD_ALLOC_HUGE ->
          true;
      default -> false;
    };
  }

  private static boolean isPush(UnwindCode code) {
    return switch (code.operation()) {
      case UWOP_PUSH_NONVOL, WOD_PUSH, WOD_PUSH_CONSECUTIVE_2, WOD_PUSH2 -> true;
      default -> false;
    };
  }

  /** {@code push rbx rsi rdi, alloc 0x58}: what the prologue did, in its order. */
  static String prolog(UnwindChain chain) {
    UnwindInfo info = chain.info();
    if (info.damage().isPresent() && info.codes().isEmpty()) {
      return "damaged: " + info.damage().get();
    }
    String damage = chain.damage().map(why -> ", damaged: " + why).orElse("");
    List<String> parts = new ArrayList<>();
    StringBuilder pushed = new StringBuilder();
    for (UnwindCode code : info.prologCodes().reversed()) {
      if (isPush(code)) {
        pushed.append(' ').append(registers(code));
        continue;
      }
      if (!pushed.isEmpty()) {
        parts.add("push" + pushed);
        pushed.setLength(0);
      }
      parts.add(effect(code));
    }
    if (!pushed.isEmpty()) {
      parts.add("push" + pushed);
    }
    info.chained().ifPresent(parent -> parts.add("then as " + Numbers.hex(parent.begin())));
    return (parts.isEmpty() ? "none" : String.join(", ", parts)) + damage;
  }

  private static String registers(UnwindCode code) {
    return code.registerName() + (code.second() < 0 ? "" : " " + code.secondName());
  }

  private static String effect(UnwindCode code) {
    UnwindOperation operation = code.operation();
    if (isRoom(code)) {
      return "alloc " + Numbers.hex(code.value());
    }
    return switch (operation) {
      case UWOP_SET_FPREG, UWOP_SET_FPREG_LARGE, WOD_SET_FPREG ->
          "set "
              + code.registerName()
              + (code.value() == 0 ? "" : "=rsp+" + Numbers.hex(code.value()));
      case UWOP_PUSH_MACHFRAME ->
          code.info() == 0 ? "machine frame" : "machine frame with error code";
      case WOD_PUSH_CANONICAL_FRAME -> "system frame " + code.value();
      default ->
          code.register() < 0
              ? operation.name()
              : "save " + code.registerName() + " at " + Numbers.hex(code.value());
    };
  }

  /** {@code EHANDLER UHANDLER}. */
  static String flags(UnwindInfo info) {
    List<String> names = new ArrayList<>();
    if (info.is(UnwindInfo.EHANDLER)) {
      names.add("EHANDLER");
    }
    if (info.is(UnwindInfo.UHANDLER)) {
      names.add("UHANDLER");
    }
    if (info.is(UnwindInfo.CHAININFO)) {
      names.add("CHAININFO");
    }
    if (info.is(UnwindInfo.LARGE)) {
      names.add("LARGE");
    }
    return String.join(" ", names);
  }

  /** Returns the operand of an unwind code: {@code rbx}, {@code 0x58 bytes}. */
  static String operand(UnwindCode code) {
    StringBuilder text = new StringBuilder(registers(code).strip());
    if (isRoom(code)) {
      text.append(String.format(Locale.ROOT, "0x%x bytes", code.value()));
    } else if (!isPush(code) && code.value() != 0) {
      text.append(text.isEmpty() ? "" : ", ").append(Numbers.hex(code.value()));
    }
    return text.toString();
  }

  /** The object of a function's unwind information. */
  static void json(Json json, RuntimeFunction function, UnwindChain chain) {
    UnwindInfo info = chain.info();
    json.object();
    object(json, function, info);
    json.text("damage", chain.damage().orElse(null)).endObject();
  }

  private static void object(Json json, RuntimeFunction function, UnwindInfo info) {
    json.text("rva", Numbers.hex(info.rva()))
        .number("version", info.version())
        .number("flags", info.flags())
        .text("flagsText", flags(info))
        .number("prologSize", info.prologSize());
    if (info.frameRegister() == 0) {
      json.unknown("frameRegister").unknown("frameOffset");
    } else {
      json.text("frameRegister", UnwindCode.generalName(info.frameRegister()))
          .number("frameOffset", info.frameOffset());
    }
    json.array("codes");
    info.prologCodes().forEach(code -> code(json, code));
    json.endArray().array("epilogs");
    for (Epilog epilog : info.epilogs()) {
      json.object()
          .text("rva", Numbers.hex(epilog.startIn(function)))
          .number("size", epilog.size())
          .number("offset", epilog.start());
      if (!epilog.codes().isEmpty()) {
        json.array("codes");
        epilog.codes().forEach(code -> code(json, code));
        json.endArray();
      }
      json.endObject();
    }
    json.endArray();
    info.chained()
        .ifPresentOrElse(
            parent ->
                json.object("chained")
                    .text("rva", Numbers.hex(parent.begin()))
                    .number("size", parent.size())
                    .text("unwindInfo", Numbers.hex(parent.unwindInfo()))
                    .endObject(),
            () -> json.unknown("chained"));
  }

  private static void code(Json json, UnwindCode code) {
    json.object()
        .number("offset", code.offset())
        .number("op", code.operation().number())
        .text("opText", code.operation().name())
        .number("info", code.info());
    if (code.register() >= 0) {
      json.text("register", code.registerName());
    }
    if (code.second() >= 0) {
      json.text("second", code.secondName());
    }
    if (!isPush(code)) {
      json.number("value", code.value());
    }
    json.endObject();
  }
}
