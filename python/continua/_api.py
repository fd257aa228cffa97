"""The C interface, as scripts/python-api read it from continua.h. Do not edit."""

# fmt: off
# ruff: noqa
from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32,
                    c_int64, c_size_t, c_uint, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)

CT_VERSION_MAJOR = 0
CT_VERSION_MINOR = 1
CT_VERSION_PATCH = 0
CT_OK = 0
CT_FAILED = 1
CT_BAD_USAGE = 2
CT_BAD_SCENE = 3
CT_DIVERGED = 4
CT_BAD_IO = 5
CT_NO_MEMORY = 6
CT_MESSAGE_SIZE = 4096
CT_LOG_DEBUG = 0
CT_LOG_INFO = 1
CT_LOG_WARNING = 2
CT_INTERPOLATE_LINEAR = 0
CT_INTERPOLATE_SMOOTH = 1
CT_INTERPOLATE_STEP = 2
CT_FLOAT = 0
CT_DOUBLE = 1
CT_KERNEL_QUADRATIC = 0
CT_KERNEL_CUBIC = 1
CT_KERNEL_LINEAR = 2
CT_INTEGRATION_OF_WORLD = -1
CT_INTEGRATION_EXPLICIT = 0
CT_INTEGRATION_IMPLICIT = 1
CT_INTEGRATION_AUTO = 2
CT_FORCE_MLS = 0
CT_FORCE_GRADIENT = 1
CT_WALL_NO_SLIP = 0
CT_WALL_SLIP = 1
CT_WALL_SEPARATE = 2
CT_WALL_FREE = 3
CT_WALL_PERIODIC = 4
CT_X_MIN = 0
CT_X_MAX = 1
CT_Y_MIN = 2
CT_Y_MAX = 3
CT_Z_MIN = 4
CT_Z_MAX = 5
CT_SIDES = 6
CT_CRITERION_VELOCITY = 1
CT_CRITERION_SOUND = 2
CT_CRITERION_DISPLACEMENT = 4
CT_CRITERION_DEFORMATION = 8
CT_CRITERION_SINGLE_PARTICLE = 16
CT_CRITERION_VISCOSITY = 32
CT_CRITERION_COLLIDER = 64
CT_CRITERION_CONDUCTION = 128
CT_CRITERIA_ALL = 255
CT_SINGLE_STRICT = 0
CT_SINGLE_RELAXED = 1
CT_SINGLE_EXACT = 2
CT_METHOD_OF_WORLD = -1
CT_METHOD_MPM = 0
CT_METHOD_PERIDYNAMICS = 1
CT_METHOD_ELEMENTS = 2
CT_METHOD_RIGID = 3
CT_METHOD_FLUID = 4
CT_METHOD_STRANDS = 5
CT_PERI_AUTOMATIC = 0
CT_PERI_CHEBYSHEV = 1
CT_PERI_JACOBI = 2
CT_PERI_DIRECT = 3
CT_PERI_POSITIONS = 4
CT_PERI_NEWTON = 5
CT_CONTACT_FIELDS = 0
CT_CONTACT_LITERAL = 1
CT_SHAPE_BOX = 0
CT_SHAPE_SPHERE = 1
CT_SHAPE_CYLINDER = 2
CT_SHAPE_CAPSULE = 3
CT_SHAPE_TORUS = 4
CT_SHAPE_ROUNDED_BOX = 5
CT_SHAPE_HALF_SPACE = 6
CT_SHAPE_UNION = 7
CT_SHAPE_DIFFERENCE = 8
CT_SHAPE_INTERSECTION = 9
CT_SHAPE_MESH = 10
CT_SHAPE_HEIGHT_FIELD = 11
CT_SHAPE_POINTS = 12
CT_SHAPE_PARTICLES = 13
CT_SHAPE_SHEET = 14
CT_SHAPE_SURFACE = 15
CT_SHAPE_POLYLINE = 16
CT_SHAPE_SOLID = 17
CT_PATTERN_LATTICE = 0
CT_PATTERN_JITTERED = 1
CT_PATTERN_POISSON = 2
CT_COUPLING_CONTACT = 0
CT_COUPLING_GRID = 1
CT_CONTACT_STICKY = 0
CT_CONTACT_SLIP = 1
CT_CONTACT_SEPARATE = 2
CT_SHOW_WHOLE = 0
CT_SHOW_CUT = 1
CT_SHOW_HIDDEN = 2
CT_SHOW_GLASS = 3
CT_SOURCE_FLUXED = 0
CT_SOURCE_SPOUT = 1
CT_FORCE_ACCELERATION = 0
CT_FORCE_POINT = 1
CT_FORCE_VORTEX = 2
CT_FORCE_TURBULENCE = 3
CT_FORCE_WIND = 4
CT_JOINT_BALL = 0
CT_JOINT_HINGE = 1
CT_JOINT_SLIDER = 2
CT_TYPE_FLOAT32 = 0
CT_TYPE_FLOAT64 = 1
CT_TYPE_UINT16 = 2
CT_TYPE_UINT32 = 3

ENUMS = {
    'ct_status': {'ok': 0, 'failed': 1, 'bad_usage': 2, 'bad_scene': 3, 'diverged': 4, 'bad_io': 5, 'no_memory': 6},
    'ct_log_level': {'debug': 0, 'info': 1, 'warning': 2},
    'ct_interpolation': {'linear': 0, 'smooth': 1, 'step': 2},
    'ct_precision': {'float': 0, 'double': 1},
    'ct_kernel': {'quadratic': 0, 'cubic': 1, 'linear': 2},
    'ct_integration': {'of_world': -1, 'explicit': 0, 'implicit': 1, 'auto': 2},
    'ct_force_form': {'mls': 0, 'gradient': 1},
    'ct_wall_type': {'no_slip': 0, 'slip': 1, 'separate': 2, 'free': 3, 'periodic': 4},
    'ct_single_form': {'strict': 0, 'relaxed': 1, 'exact': 2},
    'ct_method': {'of_world': -1, 'mpm': 0, 'peridynamics': 1, 'elements': 2, 'rigid': 3, 'fluid': 4, 'strands': 5},
    'ct_peri_solver': {'automatic': 0, 'chebyshev': 1, 'jacobi': 2, 'direct': 3, 'positions': 4, 'newton': 5},
    'ct_contact_variant': {'fields': 0, 'literal': 1},
    'ct_shape_type': {'box': 0, 'sphere': 1, 'cylinder': 2, 'capsule': 3, 'torus': 4, 'rounded_box': 5, 'half_space': 6, 'union': 7, 'difference': 8, 'intersection': 9, 'mesh': 10, 'height_field': 11, 'points': 12, 'particles': 13, 'sheet': 14, 'surface': 15, 'polyline': 16, 'solid': 17},
    'ct_pattern': {'lattice': 0, 'jittered': 1, 'poisson': 2},
    'ct_coupling': {'contact': 0, 'grid': 1},
    'ct_contact': {'sticky': 0, 'slip': 1, 'separate': 2},
    'ct_showing': {'whole': 0, 'cut': 1, 'hidden': 2, 'glass': 3},
    'ct_source_type': {'fluxed': 0, 'spout': 1},
    'ct_force_type': {'acceleration': 0, 'point': 1, 'vortex': 2, 'turbulence': 3, 'wind': 4},
    'ct_joint_type': {'ball': 0, 'hinge': 1, 'slider': 2},
    'ct_type': {'float32': 0, 'float64': 1, 'uint16': 2, 'uint32': 3},
}

class ct_error(Structure):
    """ct_error of continua.h."""

class ct_allocator(Structure):
    """ct_allocator of continua.h."""

class ct_track(Structure):
    """ct_track of continua.h."""

class ct_parameter(Structure):
    """ct_parameter of continua.h."""

class ct_scheme_def(Structure):
    """ct_scheme_def of continua.h."""

class ct_thermal_def(Structure):
    """ct_thermal_def of continua.h."""

class ct_wall_def(Structure):
    """ct_wall_def of continua.h."""

class ct_air_def(Structure):
    """ct_air_def of continua.h."""

class ct_step_def(Structure):
    """ct_step_def of continua.h."""

class ct_peri_def(Structure):
    """ct_peri_def of continua.h."""

class ct_fluid_def(Structure):
    """ct_fluid_def of continua.h."""

class ct_strands_def(Structure):
    """ct_strands_def of continua.h."""

class ct_contact_pair_def(Structure):
    """ct_contact_pair_def of continua.h."""

class ct_contact_def(Structure):
    """ct_contact_def of continua.h."""

class ct_world_def(Structure):
    """ct_world_def of continua.h."""

class ct_material_def(Structure):
    """ct_material_def of continua.h."""

class ct_shape_def(Structure):
    """ct_shape_def of continua.h."""

class ct_follow_def(Structure):
    """ct_follow_def of continua.h."""

class ct_elements_def(Structure):
    """ct_elements_def of continua.h."""

class ct_body_def(Structure):
    """ct_body_def of continua.h."""

class ct_body_info(Structure):
    """ct_body_info of continua.h."""

class ct_links_info(Structure):
    """ct_links_info of continua.h."""

class ct_motion_def(Structure):
    """ct_motion_def of continua.h."""

class ct_collider_def(Structure):
    """ct_collider_def of continua.h."""

class ct_collider_info(Structure):
    """ct_collider_info of continua.h."""

class ct_body_motion(Structure):
    """ct_body_motion of continua.h."""

class ct_body_contact(Structure):
    """ct_body_contact of continua.h."""

class ct_collider_surface(Structure):
    """ct_collider_surface of continua.h."""

class ct_particles_def(Structure):
    """ct_particles_def of continua.h."""

class ct_source_def(Structure):
    """ct_source_def of continua.h."""

class ct_sink_def(Structure):
    """ct_sink_def of continua.h."""

class ct_force_def(Structure):
    """ct_force_def of continua.h."""

class ct_force_points(Structure):
    """ct_force_points of continua.h."""

class ct_change_def(Structure):
    """ct_change_def of continua.h."""

class ct_joint_def(Structure):
    """ct_joint_def of continua.h."""

class ct_joint_info(Structure):
    """ct_joint_info of continua.h."""

class ct_world_info(Structure):
    """ct_world_info of continua.h."""

class ct_world_material_info(Structure):
    """ct_world_material_info of continua.h."""

class ct_stage_info(Structure):
    """ct_stage_info of continua.h."""

class ct_criterion_info(Structure):
    """ct_criterion_info of continua.h."""

class ct_world_sums(Structure):
    """ct_world_sums of continua.h."""

class ct_hash(Structure):
    """ct_hash of continua.h."""

class ct_view(Structure):
    """ct_view of continua.h."""

class ct_quantity_info(Structure):
    """ct_quantity_info of continua.h."""

class ct_samples(Structure):
    """ct_samples of continua.h."""

class ct_push_def(Structure):
    """ct_push_def of continua.h."""

class ct_scene_info(Structure):
    """ct_scene_info of continua.h."""

class ct_run_def(Structure):
    """ct_run_def of continua.h."""

class ct_run_progress(Structure):
    """ct_run_progress of continua.h."""

class ct_export_def(Structure):
    """ct_export_def of continua.h."""

class ct_surface_mesh_def(Structure):
    """ct_surface_mesh_def of continua.h."""

class ct_surface_mesh(Structure):
    """ct_surface_mesh of continua.h."""

class ct_picture_def(Structure):
    """ct_picture_def of continua.h."""

class ct_picture(Structure):
    """ct_picture of continua.h."""

class ct_library_method_info(Structure):
    """ct_library_method_info of continua.h."""

class ct_library_model_info(Structure):
    """ct_library_model_info of continua.h."""

class ct_library_parameter_info(Structure):
    """ct_library_parameter_info of continua.h."""

class ct_library_preset_info(Structure):
    """ct_library_preset_info of continua.h."""

class ct_library_format_info(Structure):
    """ct_library_format_info of continua.h."""

ct_log_function = CFUNCTYPE(None, c_int, c_char_p, c_void_p)
ct_force_function = CFUNCTYPE(None, POINTER(ct_force_points), c_void_p)

ct_error._fields_ = [
    ('status', c_int),
    ('message', c_char * 4096),
]
ct_error._enums_ = {'status': 'ct_status'}
ct_error._docs_ = {}

ct_allocator._fields_ = [
    ('allocate', CFUNCTYPE(c_void_p, c_size_t, c_void_p)),
    ('release', CFUNCTYPE(None, c_void_p, c_void_p)),
    ('user', c_void_p),
]
ct_allocator._enums_ = {}
ct_allocator._docs_ = {}

ct_track._fields_ = [
    ('constant', c_double * 3),
    ('count', c_int),
    ('times', POINTER(c_double)),
    ('values', POINTER(c_double * 3)),
    ('interpolation', c_int),
]
ct_track._enums_ = {'interpolation': 'ct_interpolation'}
ct_track._docs_ = {'times': '[count], seconds, strictly increasing', 'values': '[count]'}

ct_parameter._fields_ = [
    ('name', c_char_p),
    ('value', c_double),
]
ct_parameter._enums_ = {}
ct_parameter._docs_ = {}

ct_scheme_def._fields_ = [
    ('type', c_char_p),
    ('parameters', POINTER(ct_parameter)),
    ('parameter_count', c_int),
]
ct_scheme_def._enums_ = {}
ct_scheme_def._docs_ = {'type': '"apic", "flip", "asflip", ...'}

ct_thermal_def._fields_ = [
    ('has_temperature', c_bool),
    ('temperature', c_double),
    ('resistance', c_double),
]
ct_thermal_def._enums_ = {}
ct_thermal_def._docs_ = {'temperature': 'K', 'resistance': 'm^2 K/W, thermal contact resistance of its surface; 0: perfect contact'}

ct_wall_def._fields_ = [
    ('type', c_int),
    ('friction', c_double),
    ('velocity', ct_track),
    ('thermal', ct_thermal_def),
]
ct_wall_def._enums_ = {'type': 'ct_wall_type'}
ct_wall_def._docs_ = {'friction': 'Coulomb coefficient, for CT_WALL_SEPARATE', 'velocity': 'm/s, tangential, as of a conveyor belt; the wall itself does not move'}

ct_air_def._fields_ = [
    ('temperature', c_double),
    ('heat_transfer', c_double),
    ('emissivity', c_double),
]
ct_air_def._enums_ = {}
ct_air_def._docs_ = {'temperature': 'K', 'heat_transfer': 'W/(m^2 K), by convection; 0: none', 'emissivity': 'of the material, 0 to 1, for radiation; 0: none'}

ct_step_def._fields_ = [
    ('criteria', c_uint),
    ('velocity_cfl', c_double),
    ('velocity_without_affine', c_bool),
    ('sound_cfl', c_double),
    ('displacement_limit', c_double),
    ('deformation_limit', c_double),
    ('single_form', c_int),
    ('single_factor', c_double),
    ('single_for_solids', c_bool),
    ('viscosity_factor', c_double),
    ('collider_cfl', c_double),
    ('conduction_factor', c_double),
    ('max', c_double),
    ('min', c_double),
    ('fixed', c_double),
]
ct_step_def._enums_ = {'single_form': 'ct_single_form'}
ct_step_def._docs_ = {'criteria': 'which of CT_CRITERION_* limit dt', 'velocity_cfl': 'maximum number of cells a particle, affine part included, may cross in a step', 'velocity_without_affine': 'ignore the affine part; only for comparison', 'sound_cfl': 'maximum number of cells sound may cross in a step; 0: by scheme, kernel and form', 'displacement_limit': 'maximum displacement of a particle in a step along any axis, in cells', 'deformation_limit': 'maximum entry of dt grad v; for fluids its trace', 'single_form': 'of the single-particle criterion', 'single_factor': 'factor on the limit of that form', 'single_for_solids': 'also for solids, by their volumetric part: an extension', 'viscosity_factor': 'factor on rho dx^2 / (4 d eta)', 'collider_cfl': 'maximum number of cells the surface of a collider may cross in a step', 'conduction_factor': 'factor on rho c dx^2 / (4 d k)', 'max': 's, upper bound on dt; 0: none', 'min': 's, a run that needs a shorter step stops with CT_DIVERGED', 'fixed': 's, use exactly this dt, shortened only to hit a requested instant; 0: automatic'}

ct_peri_def._fields_ = [
    ('spacing', c_double),
    ('horizon', c_double),
    ('solver', c_int),
    ('iterations', c_int),
    ('tolerance', c_double),
    ('spectral_radius', c_double),
    ('line_search', c_bool),
    ('untangle', c_bool),
    ('contact', c_double),
    ('self_contact', c_bool),
    ('friction', c_double),
]
ct_peri_def._enums_ = {'solver': 'ct_peri_solver'}
ct_peri_def._docs_ = {'spacing': 'm, of peridynamic particles; 0: that of the grid in a world whose method is peridynamics, half of it in a mixed world', 'horizon': 'radius of a neighbourhood in spacings; 0: 2.1 in 3D (32 neighbours), 3.05 in 2D (28)', 'iterations': 'maximum number of iterations per time step; 0: 10, or as many as needed', 'tolerance': 'stop when the next iteration would move particles by less, rms, in spacings', 'spectral_radius': 'of the Jacobi iteration, for Chebyshev weights; 0: from the number of iterations', 'line_search': 'halve a step that does not lower the energy enough (not with Chebyshev)', 'untangle': 'recover inverted neighbourhoods', 'contact': 'contact distance of particles of different bodies, in spacings; 0: no contact', 'self_contact': 'also particles of one body that were not neighbours at the start', 'friction': 'Coulomb coefficient between bodies'}

ct_fluid_def._fields_ = [
    ('tolerance', c_double),
    ('iterations', c_int),
    ('correction', c_double),
]
ct_fluid_def._enums_ = {}
ct_fluid_def._docs_ = {'tolerance': 'the pressure solver stops when the largest residual has decreased by this factor', 'iterations': 'maximum, of the pressure solver', 'correction': 'fraction of an excess or deficit of particles in a cell corrected per step'}

ct_strands_def._fields_ = [
    ('spacing', c_double),
    ('iterations', c_int),
    ('tolerance', c_double),
]
ct_strands_def._enums_ = {}
ct_strands_def._docs_ = {'spacing': "m, between vertices; 0: the grid's where the world's method is strands, half of it in a mixed world", 'iterations': "maximum, of Newton's method, for each contact detection", 'tolerance': 'stop when an iteration moves no vertex by more, in spacings'}

ct_contact_pair_def._fields_ = [
    ('name', c_char_p),
    ('material', c_int),
    ('on', c_int),
    ('friction', c_double),
    ('restitution', c_double),
]
ct_contact_pair_def._enums_ = {}
ct_contact_pair_def._docs_ = {'material': 'in the order of ct_world_add_material', 'on': 'in the order of ct_world_add_material', 'friction': 'negative: as others', 'restitution': 'negative: as others'}

ct_contact_def._fields_ = [
    ('variant', c_int),
    ('friction', c_double),
    ('restitution', c_double),
    ('pairs', POINTER(ct_contact_pair_def)),
    ('pair_count', c_int),
]
ct_contact_def._enums_ = {'variant': 'ct_contact_variant'}
ct_contact_def._docs_ = {'friction': 'Coulomb coefficient', 'restitution': 'ratio of rebound to approach speed, 0 to 1', 'pairs': '[pair_count], at most 64; the first match applies'}

ct_world_def._fields_ = [
    ('cookie', c_int),
    ('method', c_int),
    ('peri', ct_peri_def),
    ('fluid', ct_fluid_def),
    ('strands', ct_strands_def),
    ('contact', ct_contact_def),
    ('dimension', c_int),
    ('precision', c_int),
    ('kernel', c_int),
    ('force_form', c_int),
    ('integration', c_int),
    ('spacing', c_double),
    ('has_domain', c_bool),
    ('domain_min', c_double * 3),
    ('domain_max', c_double * 3),
    ('walls', ct_wall_def * 6),
    ('gravity', ct_track),
    ('air', ct_air_def),
    ('scheme', ct_scheme_def),
    ('step', ct_step_def),
    ('far_limit', c_double),
    ('reserve', c_uint64),
    ('seed', c_uint64),
    ('energy_budget', c_bool),
    ('threads', c_int),
    ('allocator', ct_allocator),
    ('log', ct_log_function),
    ('log_user', c_void_p),
]
ct_world_def._enums_ = {'method': 'ct_method', 'precision': 'ct_precision', 'kernel': 'ct_kernel', 'force_form': 'ct_force_form', 'integration': 'ct_integration'}
ct_world_def._docs_ = {'cookie': 'set by ct_default_world_def; definitions without it are refused', 'method': 'default of bodies, sources and materials', 'peri': 'for bodies of CT_METHOD_PERIDYNAMICS', 'fluid': 'for bodies of CT_METHOD_FLUID', 'strands': 'for bodies of CT_METHOD_STRANDS', 'dimension': '2 or 3', 'integration': 'default of bodies', 'spacing': "m, the grid's; with a domain each axis is stretched a little to fit it. Where the method is peridynamics, the distance of particles, too", 'has_domain': 'a box with walls; without it space is unbounded', 'domain_min': 'm', 'domain_max': 'm', 'gravity': 'm/s^2', 'far_limit': 'm: a particle with a coordinate beyond it is removed as a stray; 0: a million cells', 'reserve': 'number of particles to allocate at the start; 0: as needed', 'seed': 'of all sampling', 'energy_budget': 'record the energy lost in transfers and on the grid (costs a second scatter)', 'threads': '0: one per core'}

ct_material_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('method', c_int),
    ('type', c_char_p),
    ('density', c_double),
    ('parameters', POINTER(ct_parameter)),
    ('parameter_count', c_int),
    ('temperature', c_double),
    ('heat_capacity', c_double),
    ('conductivity', c_double),
    ('stiffness_factor', ct_track),
    ('look', c_int),
]
ct_material_def._enums_ = {'method': 'ct_method'}
ct_material_def._docs_ = {'name': 'of this material, for messages and output', 'method': "whose model `type` names; CT_METHOD_OF_WORLD: the world's", 'type': 'the model: "fixed_corotated", ...', 'density': 'kg/m^3', 'temperature': 'K, default initial temperature of its bodies', 'heat_capacity': 'J/(kg K); 0: no heat', 'conductivity': 'W/(m K)', 'stiffness_factor': 'peridynamics: factor on the stiffness, in the first component; 1 by default', 'look': 'in pictures: number in the list of looks, from 1; 0: that of the model'}

ct_shape_def._fields_ = [
    ('type', c_int),
    ('min', c_double * 3),
    ('max', c_double * 3),
    ('center', c_double * 3),
    ('from', c_double * 3),
    ('to', c_double * 3),
    ('radius', c_double),
    ('tube', c_double),
    ('depth', c_double),
    ('axis', c_double * 3),
    ('point', c_double * 3),
    ('normal', c_double * 3),
    ('file', c_char_p),
    ('children', POINTER(ct_shape_def)),
    ('child_count', c_int),
    ('points', POINTER(c_double * 3)),
    ('point_velocities', POINTER(c_double * 3)),
    ('point_count', c_int),
    ('point_volume', c_double),
    ('corner', c_double * 3),
    ('edges', POINTER(c_double * 3)),
    ('edge_count', c_int),
    ('thickness', c_double),
    ('is_closed', c_bool),
    ('has_twist', c_bool),
    ('scale', c_double * 3),
    ('rotate_axis', c_double * 3),
    ('rotate_angle', c_double),
    ('translate', c_double * 3),
    ('has_pivot', c_bool),
    ('pivot', c_double * 3),
]
ct_shape_def._enums_ = {'type': 'ct_shape_type'}
ct_shape_def._docs_ = {'depth': 'm, of a height field below its 0; 0: as much as from 0 to 1', 'points': '[point_count] m', 'point_velocities': '[point_count] m/s, or NULL', 'point_volume': 'm^3 (m^2 in 2D) of each single particle; 0: of one sample of a cell', 'edges': '[edge_count] m, from the corner', 'thickness': "m, of sheets and surfaces; 0: the world's spacing", 'is_closed': 'the last point of a line is joined to the first', 'has_twist': 'a rod that resists twist, by ghost particles around it', 'scale': '1 by default', 'rotate_axis': 'rad', 'rotate_angle': 'rad'}

ct_follow_def._fields_ = [
    ('file', c_char_p),
    ('cache', c_char_p),
    ('prim', c_char_p),
    ('rate', c_double),
    ('start', c_double),
]
ct_follow_def._enums_ = {}
ct_follow_def._docs_ = {'file': ".obj, .obj with '#' for the digits of a frame, .usda; NULL: none", 'cache': '.pc2 beside an .obj; NULL: none', 'prim': 'name of the Mesh in a .usda; NULL: the first', 'rate': 'frames per second, of .pc2 and sequences; 0: 24', 'start': 's, when the first sample is played'}

ct_elements_def._fields_ = [
    ('edge', c_double),
    ('integration', c_int),
    ('mass_damping', c_double),
    ('stiffness_damping', c_double),
    ('hold_group', c_char_p),
    ('coupling', c_int),
    ('jitter', c_double),
    ('self_contact', c_bool),
    ('self_distance', c_double),
    ('has_follow', c_bool),
    ('follow', ct_follow_def),
]
ct_elements_def._enums_ = {'integration': 'ct_integration', 'coupling': 'ct_coupling'}
ct_elements_def._docs_ = {'edge': "m, approximate edge length of the mesh; 0: the grid's spacing", 'integration': 'also of MPM bodies: an implicit one makes all on its grid implicit', 'mass_damping': '1/s, Rayleigh damping: times M,', 'stiffness_damping': 's, and this times K', 'hold_group': 'vertices of this group of a mesh file are pinned; NULL: none', 'jitter': 'of inner vertices of a sheet, in edges; 0 to 0.2', 'self_contact': 'its surface does not pass through itself; with CT_COUPLING_CONTACT only', 'self_distance': "m, kept from itself; 0: a tenth of an edge, or a thicker sheet's thickness", 'follow': 'what pinned vertices follow; without `hold` all do'}

ct_body_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('method', c_int),
    ('material', c_int),
    ('shape', ct_shape_def),
    ('pattern', c_int),
    ('per_cell', c_int),
    ('velocity', c_double * 3),
    ('gradient', c_double * 9),
    ('has_center', c_bool),
    ('center', c_double * 3),
    ('spin_axis', c_double * 3),
    ('spin_rate', c_double),
    ('deformation', c_double * 9),
    ('move_by_deformation', c_bool),
    ('split', c_bool),
    ('has_scheme', c_bool),
    ('scheme', ct_scheme_def),
    ('has_temperature', c_bool),
    ('temperature', c_double),
    ('has_hold', c_bool),
    ('hold', ct_shape_def),
    ('elements', ct_elements_def),
    ('roots', c_char_p),
    ('contact_group', c_char_p),
    ('is_pinned', c_bool),
    ('mass', c_double),
    ('has_inertia', c_bool),
    ('inertia', c_double * 9),
    ('color', c_double * 3),
]
ct_body_def._enums_ = {'method': 'ct_method', 'pattern': 'ct_pattern'}
ct_body_def._docs_ = {'method': "that moves it, the same as its material's; CT_METHOD_OF_WORLD: the world's", 'material': 'as given by ct_world_add_material', 'per_cell': 'particles per grid cell; 0: 2 to the power of the dimension, 1 in peridynamics', 'velocity': 'm/s', 'gradient': '1/s, row-major: adds gradient * (x - center) to the velocity', 'center': "m; by default the body's centre of mass", 'spin_axis': 'with spin_rate: turns about the centre of mass', 'spin_rate': 'rad/s', 'deformation': 'the initial F, row-major; identity by default', 'move_by_deformation': 'also move the particles by it, about the centre of mass', 'split': 'MPM: split particles that are stretched beyond 0.75 cells', 'has_scheme': "a transfer scheme of its own; by default the world's", 'has_temperature': 'by default that of the material', 'temperature': 'K', 'has_hold': 'peridynamics and elements:', 'hold': 'particles that start in this shape are pinned', 'elements': 'for bodies of CT_METHOD_ELEMENTS; `coupling` also of strands', 'is_pinned': 'rigid: fixed in place,', 'mass': 'kg (per m in 2D); 0: from the density,', 'has_inertia': 'by default from the shape and the mass:', 'inertia': 'kg m^2 about the centre of mass, row-major; in 2D only the last is used', 'color': 'linear 0..1; negative: automatic'}

ct_body_info._fields_ = [
    ('name', c_char_p),
    ('method', c_int),
    ('material', c_int),
    ('particles', c_uint64),
    ('temperature', c_double),
    ('color', c_double * 3),
]
ct_body_info._enums_ = {'method': 'ct_method'}
ct_body_info._docs_ = {'particles': 'now', 'temperature': 'K, of a new particle', 'color': 'linear 0..1; negative: automatic'}

ct_links_info._fields_ = [
    ('triangles', POINTER(c_uint32 * 3)),
    ('triangle_count', c_uint64),
    ('lines', POINTER(c_uint32 * 2)),
    ('line_count', c_uint64),
    ('tetrahedra', POINTER(c_uint32 * 4)),
    ('tetrahedron_count', c_uint64),
    ('uv', POINTER(c_float * 6)),
]
ct_links_info._enums_ = {}
ct_links_info._docs_ = {'triangles': '[triangle_count]', 'lines': '[line_count]', 'tetrahedra': '[tetrahedron_count]', 'uv': '[triangle_count] u, v of each corner in a texture; NULL: none'}

ct_motion_def._fields_ = [
    ('has_pivot', c_bool),
    ('pivot', c_double * 3),
    ('has_position', c_bool),
    ('position', ct_track),
    ('rotation', ct_track),
    ('scale', ct_track),
    ('velocity', c_double * 3),
    ('spin_axis', c_double * 3),
    ('spin_rate', c_double),
    ('start', c_double),
]
ct_motion_def._enums_ = {}
ct_motion_def._docs_ = {'pivot': "m, in the shape's coordinates; by default that of the shape", 'position': "m, where the pivot is; by default where it is in the shape's coordinates", 'rotation': 'rad: axis times angle; in 2D the third component', 'scale': 'in the first component; constant 1 by default', 'velocity': 'm/s, from `start` on', 'spin_axis': 'rad/s about the pivot, from `start` on', 'spin_rate': 'rad/s about the pivot, from `start` on', 'start': 's'}

ct_collider_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('shape', ct_shape_def),
    ('contact', c_int),
    ('friction', c_double),
    ('grip', c_bool),
    ('keeps_sides', c_bool),
    ('is_sharp', c_bool),
    ('thermal', ct_thermal_def),
    ('motion', ct_motion_def),
    ('has_animation', c_bool),
    ('animation', ct_follow_def),
    ('color', c_double * 3),
    ('show', c_int),
]
ct_collider_def._enums_ = {'contact': 'ct_contact', 'show': 'ct_showing'}
ct_collider_def._docs_ = {'shape': 'anything but points and particles; it needs no bounds', 'friction': 'Coulomb coefficient, for CT_CONTACT_SEPARATE', 'grip': 'peridynamics: particles that are inside when it is added are pinned to it', 'keeps_sides': 'puts particles back that would cross the surface in a step; true by default', 'is_sharp': 'contact holds at the surface itself, not at the grid nodes inside', 'has_animation': '3D: the shape is a mesh whose vertices move in its own frame; no grip', 'animation': 'its file stays NULL: that of the shape names the animation, too', 'color': 'linear 0..1; negative: automatic'}

ct_collider_info._fields_ = [
    ('name', c_char_p),
    ('position', c_double * 3),
    ('impulse', c_double * 3),
    ('angular_impulse', c_double * 3),
    ('force', c_double * 3),
    ('torque', c_double * 3),
    ('work', c_double),
    ('deepest', c_double),
    ('put_back', c_uint64),
    ('leaks', c_uint64),
]
ct_collider_info._enums_ = {}
ct_collider_info._docs_ = {'position': 'm, of its pivot now', 'impulse': 'N s received', 'angular_impulse': 'N m s received, about the pivot', 'force': 'N, mean over the last step', 'torque': 'N m, about the pivot, mean over the last step', 'work': 'J done on the material', 'deepest': 'm, maximum depth of the centre of a particle inside it', 'put_back': 'particles that would have crossed its surface', 'leaks': 'particles that crossed it anyway'}

ct_body_motion._fields_ = [
    ('mass', c_double),
    ('position', c_double * 3),
    ('orientation', c_double * 4),
    ('momentum', c_double * 3),
    ('angular_momentum', c_double * 3),
    ('kinetic', c_double),
    ('elastic', c_double),
    ('gravitational', c_double),
]
ct_body_motion._enums_ = {}
ct_body_motion._docs_ = {'mass': 'kg', 'position': 'm, centre of mass', 'orientation': "of a rigid body: unit quaternion w, x, y, z from the scene's; else 1, 0, 0, 0", 'momentum': 'kg m/s', 'angular_momentum': 'kg m^2/s about the origin', 'kinetic': 'J', 'elastic': 'J', 'gravitational': 'J'}

ct_body_contact._fields_ = [
    ('body', c_int),
    ('partner', c_int),
    ('name', c_char_p),
    ('partner_name', c_char_p),
    ('impulse', c_double * 3),
    ('angular_impulse', c_double * 3),
    ('work', c_double),
    ('force', c_double * 3),
    ('torque', c_double * 3),
]
ct_body_contact._enums_ = {}
ct_body_contact._docs_ = {'body': 'numbers of bodies, or -1', 'partner': 'numbers of bodies, or -1', 'impulse': 'N s, N m s since the start', 'angular_impulse': 'N s, N m s since the start', 'work': 'J since the start, on the body', 'force': 'N, N m: mean over the last step', 'torque': 'N, N m: mean over the last step'}

ct_collider_surface._fields_ = [
    ('vertices', POINTER(c_double * 3)),
    ('vertex_count', c_size_t),
    ('corners', POINTER(c_uint32)),
    ('element_count', c_size_t),
    ('dimension', c_int),
    ('uv', POINTER(c_float * 6)),
]
ct_collider_surface._enums_ = {}
ct_collider_surface._docs_ = {'vertices': '[vertex_count] m', 'corners': '[element_count x dimension], outward by the right hand', 'uv': '[element_count] texture coordinates: u, v of each corner of a triangle; NULL: none'}

ct_particles_def._fields_ = [
    ('cookie', c_int),
    ('body', c_int),
    ('count', c_uint64),
    ('position', POINTER(c_double * 3)),
    ('velocity', POINTER(c_double * 3)),
    ('gradient', POINTER(c_double * 9)),
    ('deformation', POINTER(c_double * 9)),
    ('volume', POINTER(c_double)),
    ('temperature', POINTER(c_double)),
]
ct_particles_def._enums_ = {}
ct_particles_def._docs_ = {'body': 'as given by ct_world_add_body', 'position': '[count] m', 'velocity': '[count] m/s, or NULL', 'gradient': '[count] 1/s, of the velocity, row-major, or NULL', 'deformation': '[count] F, row-major, or NULL', 'volume': '[count] m^3 (m^2 in 2D), undeformed, or NULL', 'temperature': '[count] K, or NULL'}

ct_source_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('method', c_int),
    ('material', c_int),
    ('type', c_int),
    ('shape', ct_shape_def),
    ('pattern', c_int),
    ('per_cell', c_int),
    ('velocity', ct_track),
    ('motion', ct_motion_def),
    ('start', c_double),
    ('stop_after', c_double),
    ('stop_volume', c_double),
    ('stop_count', c_uint64),
    ('has_point', c_bool),
    ('has_normal', c_bool),
    ('point', c_double * 3),
    ('normal', c_double * 3),
    ('has_scheme', c_bool),
    ('scheme', ct_scheme_def),
    ('has_temperature', c_bool),
    ('temperature', c_double),
    ('color', c_double * 3),
]
ct_source_def._enums_ = {'method': 'ct_method', 'type': 'ct_source_type', 'pattern': 'ct_pattern'}
ct_source_def._docs_ = {'method': "the same as its material's; CT_METHOD_OF_WORLD: the world's", 'material': 'as given by ct_world_add_material', 'per_cell': 'particles per grid cell; 0: 2 to the power of the dimension', 'velocity': 'm/s, of the material, in the frame of the source', 'motion': 'of the source and the material in it; its scale is 1', 'start': 's', 'stop_after': 's from the start', 'stop_volume': 'm^3 (m^2 in 2D) made', 'stop_count': 'particles made', 'has_scheme': "a transfer scheme of its own; by default the world's", 'has_temperature': 'by default that of the material', 'temperature': 'K', 'color': 'linear 0..1; negative: automatic'}

ct_sink_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('shape', ct_shape_def),
]
ct_sink_def._enums_ = {}
ct_sink_def._docs_ = {'shape': 'may be a half space'}

ct_force_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('type', c_int),
    ('bodies', POINTER(c_char_p)),
    ('body_count', c_int),
    ('has_shape', c_bool),
    ('shape', ct_shape_def),
    ('start', c_double),
    ('stop', c_double),
    ('acceleration', ct_track),
    ('center', ct_track),
    ('axis', c_double * 3),
    ('strength', c_double),
    ('radius', c_double),
    ('power', c_double),
    ('softening', c_double),
    ('intensity', c_double),
    ('size', c_double),
    ('lifetime', c_double),
    ('octaves', c_int),
    ('seed', c_uint64),
    ('velocity', ct_track),
    ('density', c_double),
    ('coefficient', c_double),
    ('friction', c_double),
    ('grain', c_double),
    ('rate', c_double),
]
ct_force_def._enums_ = {'type': 'ct_force_type'}
ct_force_def._docs_ = {'bodies': '[body_count] names of those that it acts on', 'body_count': '0: it acts on all', 'has_shape': 'acts only within this shape, which does not move', 'start': 's; stop 0: never', 'stop': 's; stop 0: never', 'acceleration': 'm/s^2, of CT_FORCE_ACCELERATION', 'center': 'm', 'axis': 'of a vortex, which turns around it by the right hand; in 2D it is z', 'strength': 'm/s^2 at `radius`; negative: away from the point, or in the opposite sense', 'radius': 'm', 'power': '0: constant, -1: a spring, 2: gravity of a point mass', 'softening': 'm', 'intensity': 'm/s^2, or m/s of gusts: root mean square', 'size': 'm, of the largest eddies', 'lifetime': 's, after which they are replaced; 0: they persist', 'octaves': 'eddies of half the size each, 2^(-1/3) times as strong', 'velocity': 'm/s; gusts are carried along with it', 'density': 'kg/m^3 of the air', 'coefficient': 'of drag, of grains and of faces perpendicular to the wind', 'friction': 'of drag along faces', 'grain': 'm, diameter of grains; 0: no such drag on matter without faces', 'rate': '1/s: linear drag of all matter, a = rate (w - v)'}

ct_force_points._fields_ = [
    ('method', c_char_p),
    ('count', c_uint64),
    ('time', c_double),
    ('dt', c_double),
    ('position', POINTER(c_double * 3)),
    ('velocity', POINTER(c_double * 3)),
    ('mass', POINTER(c_double)),
    ('body', POINTER(c_uint32)),
    ('id', POINTER(c_uint32)),
    ('acceleration', POINTER(c_double * 3)),
]
ct_force_points._enums_ = {}
ct_force_points._docs_ = {'method': '"mpm", ...', 'count': 'of points', 'time': 's: now, and of the step', 'dt': 's: now, and of the step', 'position': '[count] m', 'velocity': '[count] m/s', 'mass': '[count] kg', 'body': '[count]', 'id': '[count] of the particle; of a rigid body the first of its particles', 'acceleration': '[count] m/s^2: to be written; 0 at first'}

ct_change_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('from', c_char_p),
    ('material', c_int),
    ('time', c_double),
    ('until', c_double),
    ('has_shape', c_bool),
    ('shape', ct_shape_def),
    ('color', c_double * 3),
]
ct_change_def._enums_ = {}
ct_change_def._docs_ = {'from': 'name of a body, a source or an earlier change', 'material': 'that it becomes, as given by ct_world_add_material', 'time': 's, start', 'until': 's, end; 0: never', 'has_shape': 'only particles within this shape', 'color': 'linear 0..1; negative: automatic'}

ct_joint_def._fields_ = [
    ('cookie', c_int),
    ('name', c_char_p),
    ('type', c_int),
    ('body', c_char_p),
    ('to', c_char_p),
    ('at', c_double * 3),
    ('axis', c_double * 3),
    ('has_limits', c_bool),
    ('lower', c_double),
    ('upper', c_double),
    ('motor_speed', c_double),
    ('motor_most', c_double),
    ('stiffness', c_double),
    ('damping', c_double),
    ('rest', c_double),
]
ct_joint_def._enums_ = {'type': 'ct_joint_type'}
ct_joint_def._docs_ = {'body': 'name of a rigid body,', 'to': 'and of another; NULL: the world', 'at': 'm', 'axis': 'of hinges and sliders; in 2D of sliders', 'motor_speed': 'most: N m or N; 0: no motor', 'motor_most': 'most: N m or N; 0: no motor', 'stiffness': 'a spring: N m/rad and N m s/rad, or N/m and N s/m', 'damping': 'a spring: N m/rad and N m s/rad, or N/m and N s/m', 'rest': 'of the spring'}

ct_joint_info._fields_ = [
    ('name', c_char_p),
    ('position', c_double),
    ('speed', c_double),
    ('force', c_double * 3),
    ('torque', c_double * 3),
]
ct_joint_info._enums_ = {}
ct_joint_info._docs_ = {'position': 'rad and rad/s, or m and m/s; 0 of ball joints', 'speed': 'rad and rad/s, or m and m/s; 0 of ball joints', 'force': 'N, N m: what it does to `body` at its point, mean over the last step', 'torque': 'N, N m: what it does to `body` at its point, mean over the last step'}

ct_world_info._fields_ = [
    ('dimension', c_int),
    ('precision', c_int),
    ('time', c_double),
    ('step', c_uint64),
    ('dt', c_double),
    ('limited_by', c_char_p),
    ('limited_material', c_int),
    ('particles', c_uint64),
    ('blocks', c_uint64),
    ('bytes', c_size_t),
    ('peak_bytes', c_size_t),
    ('wall_returns', c_uint64),
    ('wall_bounces', c_uint64),
    ('emitted', c_uint64),
    ('sunk', c_uint64),
    ('strays', c_uint64),
    ('threads', c_int),
]
ct_world_info._enums_ = {'precision': 'ct_precision'}
ct_world_info._docs_ = {'time': 's', 'step': 'steps made', 'dt': "s, the last step's", 'limited_by': 'what limited it: the name of a criterion, or "max", "fixed", "source", "frame"; after ct_world_run_until, what limited most of its steps', 'limited_material': 'whose particle asked for it; -1: none', 'blocks': 'grid blocks in use', 'bytes': 'memory in use', 'peak_bytes': 'and its maximum so far', 'wall_returns': 'particles found outside a wall and put back, since the start; ...', 'wall_bounces': '... those of schemes that move particles by their own velocity, apart', 'emitted': 'particles made by sources since the start', 'sunk': 'removed by sinks', 'strays': 'removed beyond the far limit'}

ct_world_material_info._fields_ = [
    ('name', c_char_p),
    ('type', c_char_p),
    ('method', c_int),
    ('density', c_double),
    ('temperature', c_double),
    ('heat_capacity', c_double),
    ('conductivity', c_double),
]
ct_world_material_info._enums_ = {'method': 'ct_method'}
ct_world_material_info._docs_ = {'name': 'the model', 'type': 'the model', 'density': 'kg/m^3', 'temperature': 'K, that its bodies begin with', 'heat_capacity': 'J/(kg K); 0: no heat', 'conductivity': 'W/(m K)'}

ct_stage_info._fields_ = [
    ('name', c_char_p),
    ('seconds', c_double),
]
ct_stage_info._enums_ = {}
ct_stage_info._docs_ = {}

ct_criterion_info._fields_ = [
    ('name', c_char_p),
    ('steps', c_uint64),
    ('tightest', c_double),
    ('tightest_step', c_uint64),
    ('particle', c_int64),
    ('material', c_int),
]
ct_criterion_info._enums_ = {}
ct_criterion_info._docs_ = {'steps': 'that it limited, since the start', 'tightest': 's, the smallest step it required; 0: none', 'tightest_step': 'in which step', 'particle': 'id of the limiting particle; -1: none', 'material': 'its material, or -1'}

ct_world_sums._fields_ = [
    ('mass', c_double),
    ('center', c_double * 3),
    ('spread', c_double),
    ('momentum', c_double * 3),
    ('angular_momentum', c_double * 3),
    ('kinetic', c_double),
    ('elastic', c_double),
    ('gravitational', c_double),
    ('lost_in_transfers', c_double),
    ('lost_on_grid', c_double),
    ('collider_work', c_double),
    ('emitted_mass', c_double),
    ('emitted_energy', c_double),
    ('removed_mass', c_double),
    ('removed_energy', c_double),
    ('heat', c_double),
    ('heat_received', c_double),
    ('emitted_heat', c_double),
    ('removed_heat', c_double),
    ('iterations', c_double),
    ('residual', c_double),
    ('stretched', c_double),
    ('imbalance', c_double),
    ('wet_volume', c_double),
    ('explicit_dt', c_double),
    ('missed', c_double),
]
ct_world_sums._enums_ = {}
ct_world_sums._docs_ = {'mass': 'kg', 'center': 'm, of mass', 'spread': 'm, root mean square distance of the mass from its centre', 'momentum': 'kg m/s', 'angular_momentum': 'kg m^2/s about the origin, affine part included; in 2D the third', 'kinetic': 'J, of the particles, affine part included', 'elastic': 'J', 'gravitational': 'J, zero at the origin, for the gravity of this instant', 'lost_in_transfers': 'J since the start', 'lost_on_grid': 'J since the start: by time integration, walls and rubbing on colliders, less the work of sources', 'collider_work': 'J that colliders have done on the material since the start', 'emitted_mass': 'kg, made by sources since the start', 'emitted_energy': 'J, that it had', 'removed_mass': 'kg, removed by sinks and as strays since the start', 'removed_energy': 'J, that it had', 'heat': 'J, of particles with a heat capacity, relative to 0 K', 'heat_received': 'J since the start, through walls, colliders and from the air', 'emitted_heat': 'J, of particles from sources', 'removed_heat': 'J, of particles removed by sinks and the far limit', 'iterations': 'of the last step, by peridynamics or for the pressure; 0: there were none', 'residual': 'rms displacement that another one would have asked for, walls and colliders allowing, in spacings; of incompressible flow the largest |div v| dt that is left', 'stretched': 'particles of MPM solids stretched to more than a cell: they may tear apart', 'imbalance': "what peridynamics' equations of motion lacked in the last step, over the forces that moved particles; above 0.1 the step has not been solved, and bodies look rigid", 'wet_volume': 'm^d, of the cells that are in an incompressible liquid', 'explicit_dt': 's, of an explicit step of MPM where the last one was implicit; 0: it was not', 'missed': 'pairs of segments of strands that have passed through each other since the start'}

ct_hash._fields_ = [
    ('high', c_uint64),
    ('low', c_uint64),
]
ct_hash._enums_ = {}
ct_hash._docs_ = {}

ct_view._fields_ = [
    ('data', c_void_p),
    ('type', c_int),
    ('components', c_int),
    ('count', c_uint64),
    ('component_stride', c_size_t),
    ('generation', c_uint64),
    ('is_pinned', c_bool),
]
ct_view._enums_ = {'type': 'ct_type'}
ct_view._docs_ = {'components': 'in 2D a vector has two, a matrix four', 'component_stride': 'bytes'}

ct_quantity_info._fields_ = [
    ('name', c_char_p),
    ('unit', c_char_p),
    ('type', c_int),
    ('components', c_int),
    ('doc', c_char_p),
]
ct_quantity_info._enums_ = {'type': 'ct_type'}
ct_quantity_info._docs_ = {'components': 'numbers per particle'}

ct_samples._fields_ = [
    ('count', c_uint64),
    ('position', POINTER(c_double * 3)),
    ('velocity', POINTER(c_double * 3)),
    ('normal', POINTER(c_double * 3)),
    ('mass', POINTER(c_double)),
    ('row', POINTER(c_uint32)),
    ('body', POINTER(c_uint16)),
    ('radius', c_double),
    ('generation', c_uint64),
]
ct_samples._enums_ = {}
ct_samples._docs_ = {'position': '[count] m', 'velocity': '[count] m/s', 'normal': '[count] outwards, 1 long; of a sheet towards one of its sides; 0 where there is none: of strands, and of isolated particles', 'mass': '[count] kg; INFINITY of pinned ones: their impulse goes into what pins them', 'row': '[count] of the particle, in what ct_world_read gives', 'body': '[count]', 'radius': 'm, half of the distance that particles of two bodies keep', 'generation': 'ct_world_push takes impulses for the last ones only, until the next step'}

ct_push_def._fields_ = [
    ('cookie', c_int),
    ('samples', POINTER(ct_samples)),
    ('impulse', POINTER(c_double * 3)),
]
ct_push_def._enums_ = {}
ct_push_def._docs_ = {'samples': 'as ct_world_samples gave them, for the world as it is', 'impulse': '[samples->count] N s'}

ct_scene_info._fields_ = [
    ('path', c_char_p),
    ('name', c_char_p),
    ('title', c_char_p),
    ('dimension', c_int),
    ('end', c_double),
    ('frame', c_double),
    ('frames', c_uint64),
    ('stats_every', c_double),
    ('checkpoint_every', c_double),
    ('fields', POINTER(c_char_p)),
    ('field_count', c_int),
    ('formats', POINTER(c_char_p)),
    ('format_count', c_int),
    ('color_by', c_char_p),
    ('materials', c_int),
    ('bodies', c_int),
    ('colliders', c_int),
    ('sources', c_int),
    ('sinks', c_int),
    ('changes', c_int),
]
ct_scene_info._enums_ = {}
ct_scene_info._docs_ = {'end': 's', 'frame': 's between frames', 'frames': 'from the first instant to the last', 'stats_every': 's between rows of statistics; 0: one per frame', 'checkpoint_every': 's of wall time; 0: only at the end', 'fields': '[field_count] quantities in frames', 'formats': '[format_count] of frames', 'color_by': 'a quantity, or "body" or "material"'}

ct_run_def._fields_ = [
    ('cookie', c_int),
    ('threads', c_int),
    ('force', c_bool),
    ('read_only', c_bool),
    ('from_start', c_bool),
    ('checkpoint_every', c_double),
    ('log', ct_log_function),
    ('log_user', c_void_p),
]
ct_run_def._enums_ = {}
ct_run_def._docs_ = {'threads': '0: one per core', 'force': 'replace the run that is in the folder', 'read_only': 'ct_run_resume: only look; cannot step', 'from_start': 'ct_run_resume: forget checkpoints and results', 'checkpoint_every': 's of wall time between checkpoints, 0: none; negative: as the scene says', 'log': 'gets what goes to run.log, too; may be NULL'}

ct_run_progress._fields_ = [
    ('frames_written', c_uint64),
    ('frames', c_uint64),
    ('time', c_double),
    ('end', c_double),
    ('step', c_uint64),
    ('particles', c_uint64),
    ('dt', c_double),
    ('limited_by', c_char_p),
    ('limited_material', c_char_p),
    ('iterations', c_int),
    ('residual', c_double),
    ('imbalance', c_double),
    ('is_done', c_bool),
]
ct_run_progress._enums_ = {}
ct_run_progress._docs_ = {'frames_written': 'frame numbers 0 .. frames_written - 1 are there', 'frames': 'when the run is done', 'time': 's', 'end': 's', 'dt': 's, of the last step that was not cut short by a frame', 'limited_by': 'what limited that one; "" before the first step', 'limited_material': 'and whose particle asked for it; "" where none did', 'iterations': 'of the last step, by peridynamics; 0: there were none', 'residual': 'and what another one would have asked for, in spacings;', 'imbalance': 'what the equations lacked, over the forces; above 0.1 it is not solved'}

ct_export_def._fields_ = [
    ('cookie', c_int),
    ('fields', POINTER(c_char_p)),
    ('field_count', c_int),
]
ct_export_def._enums_ = {}
ct_export_def._docs_ = {'fields': '[field_count] quantities beside the position; NULL: velocity, body, id'}

ct_surface_mesh_def._fields_ = [
    ('cookie', c_int),
    ('spacing', c_double),
    ('cell', c_double),
    ('smooth', c_int),
    ('is_round', c_bool),
]
ct_surface_mesh_def._enums_ = {}
ct_surface_mesh_def._docs_ = {'spacing': 'm, mean distance of particles; 0: measured', 'cell': 'm, of the grid that is marched through; 0: 0.75 of the spacing', 'smooth': 'rounds of smoothing, which keep the volume', 'is_round': 'round kernels: quicker, bumpier'}

ct_surface_mesh._fields_ = [
    ('vertices', POINTER(c_double * 3)),
    ('normals', POINTER(c_float * 3)),
    ('nearest', POINTER(c_uint32)),
    ('triangles', POINTER(c_uint32 * 3)),
    ('vertex_count', c_size_t),
    ('triangle_count', c_size_t),
    ('owner', c_void_p),
]
ct_surface_mesh._enums_ = {}
ct_surface_mesh._docs_ = {'vertices': '[vertex_count] m', 'normals': '[vertex_count] outwards', 'nearest': '[vertex_count] row of the particle nearest to it', 'triangles': '[triangle_count] counter-clockwise from outside', 'owner': "the library's"}

ct_picture_def._fields_ = [
    ('cookie', c_int),
    ('width', c_int),
    ('height', c_int),
    ('color_by', c_char_p),
    ('range', c_double * 2),
    ('radius', c_double),
    ('has_bounds', c_bool),
    ('bounds', ((c_double * 3) * 2)),
    ('has_camera', c_bool),
    ('from', c_double * 3),
    ('target', c_double * 3),
    ('fov', c_double),
    ('turn', c_double),
    ('is_light', c_bool),
    ('is_surface', c_bool),
    ('scene', c_void_p),
    ('threads', c_int),
]
ct_picture_def._enums_ = {}
ct_picture_def._docs_ = {'width': 'pixels', 'height': 'pixels', 'color_by': 'a quantity, "body" or "material"', 'range': 'of the colour map; equal: that of the values', 'radius': 'm, of a particle; 0: from their distance', 'has_bounds': 'show this box; by default that of the particles, or the domain', 'bounds': 'm, min and max', 'has_camera': 'by default fitted to the bounds', 'from': 'm', 'target': 'm', 'fov': 'rad, vertical', 'turn': 'rad about the vertical, of a fitted camera', 'is_light': 'light page instead of dark', 'is_surface': 'draw the surface that the particles make up; 3D', 'scene': 'whose camera, colours, ground and colliders to take; NULL: none', 'threads': '0: one per core'}

ct_picture._fields_ = [
    ('width', c_int),
    ('height', c_int),
    ('pixels', POINTER(c_uint8 * 3)),
    ('owner', c_void_p),
]
ct_picture._enums_ = {}
ct_picture._docs_ = {'pixels': '[height x width], sRGB, first row on top', 'owner': "the library's"}

ct_library_method_info._fields_ = [
    ('name', c_char_p),
    ('doc', c_char_p),
]
ct_library_method_info._enums_ = {}
ct_library_method_info._docs_ = {}

ct_library_model_info._fields_ = [
    ('name', c_char_p),
    ('title', c_char_p),
    ('doc', c_char_p),
    ('paper', c_char_p),
    ('method', c_int),
    ('is_elastic', c_bool),
    ('parameter_count', c_int),
]
ct_library_model_info._enums_ = {'method': 'ct_method'}
ct_library_model_info._docs_ = {'is_elastic': 'takes two elastic constants, too: young and poisson, or others'}

ct_library_parameter_info._fields_ = [
    ('name', c_char_p),
    ('unit', c_char_p),
    ('doc', c_char_p),
    ('fallback', c_double),
    ('min', c_double),
    ('max', c_double),
    ('is_elastic', c_bool),
]
ct_library_parameter_info._enums_ = {}
ct_library_parameter_info._docs_ = {'fallback': 'NaN: it must be given', 'is_elastic': 'one of the elastic constants'}

ct_library_preset_info._fields_ = [
    ('name', c_char_p),
    ('doc', c_char_p),
    ('keys', c_char_p),
    ('source', c_char_p),
    ('method', c_int),
]
ct_library_preset_info._enums_ = {'method': 'ct_method'}
ct_library_preset_info._docs_ = {'keys': '"type: fluid, density: 998 kg/m^3", as in a scene', 'source': 'of the numbers'}

ct_library_format_info._fields_ = [
    ('name', c_char_p),
    ('doc', c_char_p),
]
ct_library_format_info._enums_ = {}
ct_library_format_info._docs_ = {}

FUNCTIONS = {
    'ct_version': (c_int, []),
    'ct_version_text': (c_char_p, []),
    'ct_default_contact_pair_def': (ct_contact_pair_def, []),
    'ct_default_world_def': (ct_world_def, []),
    'ct_world_create': (c_int, [POINTER(ct_world_def), POINTER(c_void_p), POINTER(ct_error)]),
    'ct_world_destroy': (None, [c_void_p]),
    'ct_default_material_def': (ct_material_def, []),
    'ct_world_add_material': (c_int, [c_void_p, POINTER(ct_material_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_world_add_preset': (c_int, [c_void_p, c_char_p, c_char_p, POINTER(c_int), POINTER(ct_error)]),
    'ct_default_shape_def': (ct_shape_def, []),
    'ct_default_body_def': (ct_body_def, []),
    'ct_world_add_body': (c_int, [c_void_p, POINTER(ct_body_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_world_remove_body': (c_int, [c_void_p, c_int, POINTER(ct_error)]),
    'ct_world_body': (c_bool, [c_void_p, c_int, POINTER(ct_body_info)]),
    'ct_world_links': (ct_links_info, [c_void_p]),
    'ct_default_motion_def': (ct_motion_def, []),
    'ct_default_collider_def': (ct_collider_def, []),
    'ct_world_add_collider': (c_int, [c_void_p, POINTER(ct_collider_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_world_set_motion': (c_int, [c_void_p, c_int, POINTER(ct_motion_def), POINTER(ct_error)]),
    'ct_world_remove_collider': (c_int, [c_void_p, c_int, POINTER(ct_error)]),
    'ct_world_set_gravity': (c_int, [c_void_p, POINTER(ct_track), POINTER(ct_error)]),
    'ct_world_collider': (c_bool, [c_void_p, c_int, POINTER(ct_collider_info)]),
    'ct_world_body_motions': (c_int, [c_void_p, POINTER(ct_body_motion), c_size_t, POINTER(ct_error)]),
    'ct_world_body_contact': (c_bool, [c_void_p, c_int, POINTER(ct_body_contact)]),
    'ct_world_collider_surface': (c_int, [c_void_p, c_int, c_double, POINTER(ct_collider_surface), POINTER(ct_error)]),
    'ct_collider_surface_release': (None, [c_void_p, POINTER(ct_collider_surface)]),
    'ct_default_particles_def': (ct_particles_def, []),
    'ct_world_add_particles': (c_int, [c_void_p, POINTER(ct_particles_def), POINTER(ct_error)]),
    'ct_default_source_def': (ct_source_def, []),
    'ct_default_sink_def': (ct_sink_def, []),
    'ct_world_add_source': (c_int, [c_void_p, POINTER(ct_source_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_world_add_sink': (c_int, [c_void_p, POINTER(ct_sink_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_default_force_def': (ct_force_def, []),
    'ct_world_add_force': (c_int, [c_void_p, POINTER(ct_force_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_world_set_force': (c_int, [c_void_p, ct_force_function, c_void_p, POINTER(ct_error)]),
    'ct_default_change_def': (ct_change_def, []),
    'ct_world_add_change': (c_int, [c_void_p, POINTER(ct_change_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_default_joint_def': (ct_joint_def, []),
    'ct_world_add_joint': (c_int, [c_void_p, POINTER(ct_joint_def), POINTER(c_int), POINTER(ct_error)]),
    'ct_world_joint': (c_bool, [c_void_p, c_int, POINTER(ct_joint_info)]),
    'ct_world_step': (c_int, [c_void_p, POINTER(ct_error)]),
    'ct_world_step_towards': (c_int, [c_void_p, c_double, POINTER(ct_error)]),
    'ct_world_run_until': (c_int, [c_void_p, c_double, POINTER(ct_error)]),
    'ct_world_get_info': (ct_world_info, [c_void_p]),
    'ct_world_material': (c_bool, [c_void_p, c_int, POINTER(ct_world_material_info)]),
    'ct_world_stage': (c_bool, [c_void_p, c_int, POINTER(ct_stage_info)]),
    'ct_world_copy': (c_int, [c_void_p, POINTER(c_void_p), POINTER(ct_error)]),
    'ct_world_criterion': (c_bool, [c_void_p, c_int, POINTER(ct_criterion_info)]),
    'ct_world_limited_steps': (c_uint64, [c_void_p, c_int, c_int]),
    'ct_world_get_sums': (ct_world_sums, [c_void_p]),
    'ct_world_hash': (c_int, [c_void_p, POINTER(ct_hash), POINTER(ct_error)]),
    'ct_world_view': (c_int, [c_void_p, c_char_p, POINTER(ct_view), POINTER(ct_error)]),
    'ct_world_pin': (c_int, [c_void_p, c_char_p, POINTER(ct_view), POINTER(ct_error)]),
    'ct_view_release': (None, [c_void_p, POINTER(ct_view)]),
    'ct_world_generation': (c_uint64, [c_void_p]),
    'ct_world_quantity': (c_bool, [c_void_p, c_int, POINTER(ct_quantity_info)]),
    'ct_world_find_quantity': (c_bool, [c_void_p, c_char_p, POINTER(ct_quantity_info)]),
    'ct_world_read': (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, POINTER(ct_error)]),
    'ct_world_write': (c_int, [c_void_p, c_char_p, c_void_p, c_size_t, POINTER(ct_error)]),
    'ct_world_samples': (c_int, [c_void_p, POINTER(ct_samples), POINTER(ct_error)]),
    'ct_default_push_def': (ct_push_def, []),
    'ct_world_push': (c_int, [c_void_p, POINTER(ct_push_def), POINTER(ct_error)]),
    'ct_world_save': (c_int, [c_void_p, c_char_p, POINTER(ct_error)]),
    'ct_world_restore': (c_int, [c_void_p, c_char_p, POINTER(ct_error)]),
    'ct_scene_load': (c_int, [c_char_p, POINTER(c_char_p), c_int, POINTER(c_void_p), POINTER(ct_error)]),
    'ct_scene_parse': (c_int, [c_char_p, c_char_p, c_size_t, POINTER(c_char_p), c_int, POINTER(c_void_p), POINTER(ct_error)]),
    'ct_scene_destroy': (None, [c_void_p]),
    'ct_scene_get_info': (ct_scene_info, [c_void_p]),
    'ct_scene_frame_time': (c_double, [c_void_p, c_uint64]),
    'ct_scene_print': (c_int, [c_void_p, c_char_p, c_size_t, POINTER(c_size_t), POINTER(ct_error)]),
    'ct_world_from_scene': (c_int, [c_void_p, c_int, POINTER(c_void_p), POINTER(ct_error)]),
    'ct_default_run_def': (ct_run_def, []),
    'ct_run_start': (c_int, [c_void_p, c_char_p, POINTER(ct_run_def), POINTER(c_void_p), POINTER(ct_error)]),
    'ct_run_resume': (c_int, [c_char_p, POINTER(ct_run_def), POINTER(c_void_p), POINTER(ct_error)]),
    'ct_run_step': (c_int, [c_void_p, POINTER(ct_error)]),
    'ct_run_frame': (c_int, [c_void_p, POINTER(ct_error)]),
    'ct_run_checkpoint': (c_int, [c_void_p, POINTER(ct_error)]),
    'ct_run_close': (None, [c_void_p]),
    'ct_run_get_progress': (ct_run_progress, [c_void_p]),
    'ct_run_world': (c_void_p, [c_void_p]),
    'ct_run_scene': (c_void_p, [c_void_p]),
    'ct_run_folder': (c_char_p, [c_void_p]),
    'ct_default_export_def': (ct_export_def, []),
    'ct_world_export': (c_int, [c_void_p, c_char_p, POINTER(ct_export_def), POINTER(ct_error)]),
    'ct_default_surface_mesh_def': (ct_surface_mesh_def, []),
    'ct_world_surface_mesh': (c_int, [c_void_p, POINTER(ct_surface_mesh_def), POINTER(ct_surface_mesh), POINTER(ct_error)]),
    'ct_surface_mesh_release': (None, [POINTER(ct_surface_mesh)]),
    'ct_default_picture_def': (ct_picture_def, []),
    'ct_world_draw': (c_int, [c_void_p, POINTER(ct_picture_def), POINTER(ct_picture), POINTER(ct_error)]),
    'ct_picture_save': (c_int, [POINTER(ct_picture), c_char_p, POINTER(ct_error)]),
    'ct_picture_release': (None, [POINTER(ct_picture)]),
    'ct_library_method': (c_bool, [c_int, POINTER(ct_library_method_info)]),
    'ct_library_model': (c_bool, [c_int, POINTER(ct_library_model_info)]),
    'ct_library_parameter': (c_bool, [c_int, c_int, POINTER(ct_library_parameter_info)]),
    'ct_library_preset': (c_bool, [c_int, POINTER(ct_library_preset_info)]),
    'ct_library_format': (c_bool, [c_int, POINTER(ct_library_format_info)]),
}
