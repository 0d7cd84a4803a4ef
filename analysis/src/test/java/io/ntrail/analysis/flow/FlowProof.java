package io.ntrail.analysis.flow;

import io.ntrail.testkit.pt.LibiptCase;
import java.util.List;
import java.util.function.Predicate;

/** Proof of the decoder by cases of others and by flows of ours, for mutants of it. */
public final class FlowProof implements Predicate<List<LibiptCase>> {
  /** Made by the loader of the mutant. */
  public FlowProof() {}

  @Override
  public boolean test(List<LibiptCase> cases) {
    return LibiptCasesTest.others(cases, true).isEmpty()
        && LibiptCasesTest.others(cases, false).size() == 1
        && handWorked();
  }

  @SuppressWarnings("JUnitMethodInvoked") // of the mutant's loader, which no runner knows
  private static boolean handWorked() {
    FlowDecoderTest flows = new FlowDecoderTest();
    try {
      flows.everyNearReturnPopsACall();
      flows.branchesBetweenAFupAndItsTargetAreAnError();
      flows.aCoreThatStopsWithoutAnAddressStopsWhereTheFlowIs();
      flows.asLibiptOnlyCompressedReturnsPopACall();
      flows.jmpabsIsToldAsAnIndirectJumpAlthoughItsTargetIsInTheCode();
      flows.anAbortThatIsNotReachedFromAWrongTargetIsWhereTheFlowIs();
      flows.aTargetThatComesBehindBranchesLeavesTheLaterOnesWaiting();
      flows.anInterruptComesBeforeTheInstructionAtItsAddress();
      flows.tracingThatEndsAtABranchTakesNothingOfTheTrace();
      flows.aHeaderRightBeforeTheStartOfTracingDoesNotCount();
      flows.aHeaderWithAnotherAddressShowsThatTheFlowWasWrong();
      flows.codeThatIsMissingEndsTheFlowUntilTheNextAddress();
      flows.anOverflowGoesOnWhereTheNextPacketSays();
      flows.whatRanInATransactionIsSpeculative();
      flows.codeThatGoesRoundWithoutABranchOfTheTraceIsAnError();
      flows.branchesWhileTracingIsOffAreAnError();
      flows.bytesThatAreNoPacketsAreAnErrorOfTheFlow();
      flows.aControlStructureIsToldBehindTheInstructionThatLoadsIt();
      flows.aControlStructureOfAVirtualMachineThatIsEnteredIsToldAtTheTarget();
      FlowRulesTest rules = new FlowRulesTest();
      rules.branchesAreDroppedWhileTheFlowIsLost();
      rules.aTargetWithoutAnAddressIsDroppedWhileTheFlowIsLost();
      rules.aTargetWithoutAnAddressIsAnErrorWhereTheFlowIsKnown();
      rules.branchesRightBehindAnOverflowAreAnError();
      rules.aReturnFromAnInterruptIsToldAtItsTarget();
      rules.anInterruptWithoutAnAddressIsToldAtTheNextOne();
      rules.anInterruptWithAnAddressIsToldThereAndItsBranchFollows();
      rules.aReturnFromSystemManagementTakesTheNextAddressForItself();
      rules.anAddressOfAFaultIsToldBeforeTheExceptionAtItsPlace();
      rules.tracingThatEndsAtAChangeOfTheAddressSpaceEndsBehindIt();
      rules.anAddressSpaceIsToldBehindTheInstructionThatLoadsIt();
      rules.tracingThatEndsAtAnAddressGoesOverAChangeOfTheAddressSpace();
      rules.eachBranchThatTheProcessorNamesIsToldAtItsTarget();
      rules.anExitFromAVirtualMachineIsToldAtTheNextAddress();
      new JoinedFlowTest().theErrorNamesTheTntThatDoesNotFit();
      return true;
    } catch (AssertionError _) {
      return false;
    }
  }
}
