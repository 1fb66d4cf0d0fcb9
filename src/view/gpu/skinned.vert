// Moves a vertex with its joints, by the same arithmetic as the CPU.
// Defined by skinned.rs: LINEAR or DUAL_QUATERNION or neither (vertices come as they are drawn),
// EIGHT (a second group of influences), TEXELS and JOINTS_PER_ROW (the texture's layout).

uniform mat4 viewProjection;

in vec3 position;
in vec3 normal;
in vec2 uv;
in vec4 vertexColor;
in vec3 fieldColor;
in float fieldPlace;
in vec4 fieldChannels;

centroid out vec3 pos;
centroid out vec3 nor;
out vec2 uvs;
out vec4 col;
// For shaders that show a field; others do not pay for them. Centroid: outside the
// triangle margins would be negative.
out float place;
centroid out vec4 channelMargins;
centroid out vec3 tints[4];

#if defined(LINEAR) || defined(DUAL_QUATERNION)

uniform highp sampler2D jointTexels;

in uvec4 joints;
in vec4 weights;
#ifdef EIGHT
in uvec4 moreJoints;
in vec4 moreWeights;
#endif

vec4 jointTexel(uint joint, int texel)
{
    int column = int(joint % uint(JOINTS_PER_ROW)) * TEXELS + texel;
    return texelFetch(jointTexels, ivec2(column, int(joint / uint(JOINTS_PER_ROW))), 0);
}

// The weighted sum of matrices that start at `first`, by rows.
struct Rows { vec4 x; vec4 y; vec4 z; };

void addRows(inout Rows sum, uint joint, float weight, int first)
{
    if (weight > 0.0)
    {
        sum.x += weight * jointTexel(joint, first);
        sum.y += weight * jointTexel(joint, first + 1);
        sum.z += weight * jointTexel(joint, first + 2);
    }
}

Rows blendRows(int first)
{
    Rows sum = Rows(vec4(0.0), vec4(0.0), vec4(0.0));
    for (int i = 0; i < 4; i++)
    {
        addRows(sum, joints[i], weights[i], first);
    }
#ifdef EIGHT
    for (int i = 0; i < 4; i++)
    {
        addRows(sum, moreJoints[i], moreWeights[i], first);
    }
#endif
    return sum;
}

vec3 transformPoint(Rows m, vec3 p)
{
    vec4 h = vec4(p, 1.0);
    return vec3(dot(m.x, h), dot(m.y, h), dot(m.z, h));
}

// Normals turn as areas do: by the cofactors.
vec3 transformNormal(Rows m, vec3 n)
{
    return vec3(
        dot(cross(m.y.xyz, m.z.xyz), n),
        dot(cross(m.z.xyz, m.x.xyz), n),
        dot(cross(m.x.xyz, m.y.xyz), n));
}

#endif

#ifdef DUAL_QUATERNION

void addMotion(inout vec4 real, inout vec4 dual, vec4 heaviest, uint joint, float weight)
{
    if (weight > 0.0)
    {
        vec4 r = jointTexel(joint, 3);
        // A rotation has two quaternions; each joint uses the one nearer to the heaviest joint's.
        float w = dot(r, heaviest) < 0.0 ? -weight : weight;
        real += w * r;
        dual += w * jointTexel(joint, 4);
    }
}

void blendMotions(inout vec3 p, inout vec3 n)
{
    vec4 heaviest = jointTexel(joints[0], 3);
    vec4 real = vec4(0.0);
    vec4 dual = vec4(0.0);
    for (int i = 0; i < 4; i++)
    {
        addMotion(real, dual, heaviest, joints[i], weights[i]);
    }
#ifdef EIGHT
    for (int i = 0; i < 4; i++)
    {
        addMotion(real, dual, heaviest, moreJoints[i], moreWeights[i]);
    }
#endif
    // Every term is quadratic in the sum, so dividing by its squared length makes it unit.
    float twice = 2.0 / dot(real, real);
    vec3 r = real.xyz;
    vec3 d = dual.xyz;
    p += twice * (cross(r, cross(r, p) + real.w * p + d) + (real.w * d - dual.w * r));
    n += twice * cross(r, cross(r, n) + real.w * n);
}

#endif

void main()
{
    vec3 p = position;
    vec3 n = normal;
#if defined(LINEAR)
    Rows blended = blendRows(0);
    p = transformPoint(blended, p);
    n = transformNormal(blended, n);
#elif defined(DUAL_QUATERNION)
    Rows stretch = blendRows(5);
    p = transformPoint(stretch, p);
    n = transformNormal(stretch, n);
    blendMotions(p, n);
#endif
    pos = p;
    nor = n;
    // three-d stores images bottom row first.
    uvs = vec2(uv.x, 1.0 - uv.y);
    col = vertexColor;
    place = fieldPlace;
    channelMargins = fieldChannels;
    for (int i = 0; i < 4; i++)
    {
        tints[i] = fieldChannels[i] * fieldColor;
    }
    gl_Position = viewProjection * vec4(p, 1.0);
}
