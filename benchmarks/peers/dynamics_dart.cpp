// Trees of hinges in DART: Skeleton::computeForwardDynamics, its articulated-body recursion.
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "dynamics.h"

namespace peers {

namespace {

using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;

class DartDynamics final : public ForwardDynamics {
 public:
  explicit DartDynamics(const HingeTree& tree) : skeleton_(dart::dynamics::Skeleton::create(tree.name)) {
    using namespace dart::dynamics;
    skeleton_->setGravity(Map<const Vector3d>(tree.gravity.data()));
    std::vector<BodyNode*> nodes;
    for (const HingedBody& body : tree.bodies) {
      RevoluteJoint::Properties joint;
      joint.mName = "hinge" + std::to_string(nodes.size());
      joint.mAxis = Vector3d::UnitZ();
      Eigen::Isometry3d place = Eigen::Isometry3d::Identity();
      place.linear() = Map<const Matrix3d>(body.axes.data());
      place.translation() = Map<const Vector3d>(body.origin.data());
      joint.mT_ParentBodyToJoint = place;
      BodyNode::Properties properties{BodyNode::AspectProperties("body" + std::to_string(nodes.size()))};
      const Matrix3d J = Map<const Matrix3d>(body.inertia.data());
      properties.mInertia.setMass(body.mass);
      properties.mInertia.setLocalCOM(Map<const Vector3d>(body.centre.data()));
      properties.mInertia.setMoment(J);
      BodyNode* parent = body.parent < 0 ? nullptr : nodes[static_cast<std::size_t>(body.parent)];
      nodes.push_back(skeleton_->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, properties).second);
    }
  }

  void evaluate(const double* angles, const double* rates, double* accelerations) override {
    const auto n = static_cast<Eigen::Index>(skeleton_->getNumDofs());
    skeleton_->setPositions(Map<const Eigen::VectorXd>(angles, n));
    skeleton_->setVelocities(Map<const Eigen::VectorXd>(rates, n));
    skeleton_->computeForwardDynamics();
    Map<Eigen::VectorXd>(accelerations, n) = skeleton_->getAccelerations();
  }

 private:
  dart::dynamics::SkeletonPtr skeleton_;
};

}  // namespace

std::unique_ptr<ForwardDynamics> dart_dynamics(const HingeTree& tree) {
  return std::make_unique<DartDynamics>(tree);
}

}  // namespace peers
