package io.ntrail.analysis.dumps;

import java.util.List;

/**
 * Codes of {@code __fastfail}, the first parameter of its exception: FAST_FAIL_ of winnt.h, and
 * words for those that programs meet.
 */
final class FastFail {
  private static final List<String> NAMES =
      List.of(
          "LEGACY_GS_VIOLATION",
          "VTGUARD_CHECK_FAILURE",
          "STACK_COOKIE_CHECK_FAILURE",
          "CORRUPT_LIST_ENTRY",
          "INCORRECT_STACK",
          "INVALID_ARG",
          "GS_COOKIE_INIT",
          "FATAL_APP_EXIT",
          "RANGE_CHECK_FAILURE",
          "UNSAFE_REGISTRY_ACCESS",
          "GUARD_ICALL_CHECK_FAILURE",
          "GUARD_WRITE_CHECK_FAILURE",
          "INVALID_FIBER_SWITCH",
          "INVALID_SET_OF_CONTEXT",
          "INVALID_REFERENCE_COUNT",
          "",
          "",
          "",
          "INVALID_JUMP_BUFFER",
          "MRDATA_MODIFIED",
          "CERTIFICATION_FAILURE",
          "INVALID_EXCEPTION_CHAIN",
          "CRYPTO_LIBRARY",
          "INVALID_CALL_IN_DLL_CALLOUT",
          "INVALID_IMAGE_BASE",
          "DLOAD_PROTECTION_FAILURE",
          "UNSAFE_EXTENSION_CALL",
          "DEPRECATED_SERVICE_INVOKED",
          "INVALID_BUFFER_ACCESS",
          "INVALID_BALANCED_TREE",
          "INVALID_NEXT_THREAD",
          "GUARD_ICALL_CHECK_SUPPRESSED",
          "APCS_DISABLED",
          "INVALID_IDLE_STATE",
          "MRDATA_PROTECTION_FAILURE",
          "UNEXPECTED_HEAP_EXCEPTION",
          "INVALID_LOCK_STATE",
          "GUARD_JUMPTABLE",
          "INVALID_LONGJUMP_TARGET",
          "INVALID_DISPATCH_CONTEXT",
          "INVALID_THREAD",
          "INVALID_SYSCALL_NUMBER",
          "INVALID_FILE_OPERATION",
          "LPAC_ACCESS_DENIED",
          "GUARD_SS_FAILURE",
          "LOADER_CONTINUITY_FAILURE",
          "GUARD_EXPORT_SUPPRESSION_FAILURE",
          "INVALID_CONTROL_STACK",
          "SET_CONTEXT_DENIED",
          "INVALID_IAT",
          "HEAP_METADATA_CORRUPTION",
          "PAYLOAD_RESTRICTION_VIOLATION",
          "LOW_LABEL_ACCESS_DENIED",
          "ENCLAVE_CALL_FAILURE",
          "UNHANDLED_LSS_EXCEPTON",
          "ADMINLESS_ACCESS_DENIED",
          "UNEXPECTED_CALL",
          "CONTROL_INVALID_RETURN_ADDRESS",
          "UNEXPECTED_HOST_BEHAVIOR",
          "FLAGS_CORRUPTION",
          "VEH_CORRUPTION",
          "ETW_CORRUPTION",
          "RIO_ABORT",
          "INVALID_PFN",
          "GUARD_ICALL_CHECK_FAILURE_XFG",
          "CAST_GUARD",
          "HOST_VISIBILITY_CHANGE",
          "KERNEL_CET_SHADOW_STACK_ASSIST",
          "PATCH_CALLBACK_FAILED",
          "NTDLL_PATCH_FAILED",
          "INVALID_FLS_DATA",
          "ASAN_ERROR",
          "CLR_EXCEPTION_AOT",
          "POINTER_AUTH_INVALID_RETURN_ADDRESS",
          "INVALID_THREAD_STATE",
          "CORRUPT_WOW64_STATE");

  private FastFail() {}

  /** Returns the name without {@code FAST_FAIL_}; empty if it is not known. */
  static String name(long code) {
    return code >= 0 && code < NAMES.size() ? NAMES.get((int) code) : "";
  }

  /** Returns what happened, as a clause; empty where the name has to do. */
  static String meaning(long code) {
    return switch ((int) code) {
      case 0, 2 -> "a buffer on the stack was overrun (the /GS cookie is wrong)";
      case 1 -> "the virtual function table of an object was overwritten";
      case 3 -> "a linked list is corrupt";
      case 4 -> "the stack pointer is not in the stack of the thread";
      case 5 -> "a function refused an invalid argument";
      case 6 -> "the /GS cookie was never initialised";
      case 7 -> "the program ended itself (abort, terminate)";
      case 8 -> "an index is out of range";
      case 10 -> "Control Flow Guard: an indirect call to what is no function";
      case 14 -> "a reference count overflowed or was used up";
      case 18 -> "longjmp with a buffer that was changed";
      case 21 -> "the chain of exception handlers is corrupt";
      case 38 -> "longjmp to an invalid place";
      case 39 -> "an exception was dispatched with a corrupt context";
      case 44, 47, 57 -> "a return address is not that of the shadow stack";
      case 50 -> "the heap is corrupt";
      case 64 -> "Extended Flow Guard: an indirect call to a function of another type";
      case 65 -> "a downcast to what the object is not";
      case 71 -> "AddressSanitizer found an error";
      default -> "";
    };
  }
}
